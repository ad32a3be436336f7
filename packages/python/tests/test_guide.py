"""What guide, README files and notebook show runs."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BLOCKS = [
    pytest.param(block, id=f"{page}-{number}")
    for page in ("README.md", "docs/guide/python.md", "packages/python/README.md")
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL))
]


def test_every_page_has_code():
    assert len(BLOCKS) >= 7


@pytest.mark.parametrize("block", BLOCKS)
def test_code_runs_and_prints(block, capsys):
    exec(compile(block, "block", "exec"), {})
    assert capsys.readouterr().out


def test_the_notebook_runs():
    cells = json.loads((ROOT / "packages/python/examples/sweep.ipynb").read_text(encoding="utf-8"))["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
            # What a reader has run is not kept.
            assert cell["outputs"] == [] and cell["execution_count"] is None
    assert names["best"].step_s <= names["forecast"].step_s
