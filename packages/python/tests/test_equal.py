"""The package's numbers are the command line's, to the last digit."""

import json
from pathlib import Path

import pytest

import stepcast
from stepcast import _stepcast

LINK = "#1;m=llama3-8b;g=dgx-h100;n=16;gb=64;tp=2;pp=2"
IMPOSSIBLE = [
    '{"m": "llama3-8b", "tp": 3}',
    '{"tp": "many"}',
    "#2;x=1",
    "#1;tp",
    '{"preset": "nothing"}',
    '{"n": [1]}',
    "{",
]
CONFIG = '{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 1000}'


def test_random_jobs(cli, links):
    assert len(links) == 1000
    lines = cli("predict", "-", text="\n".join(links)).splitlines()
    assert _stepcast.predict_many(links, None) == lines
    for answer, line, link in zip(stepcast.predict_many(links), lines, links):
        assert answer.to_dict() == json.loads(line), link
        assert answer.link == link


def test_refusals(cli):
    lines = cli("predict", "-", text="\n".join(IMPOSSIBLE)).splitlines()
    for job, line in zip(IMPOSSIBLE, lines):
        with pytest.raises(stepcast.JobError) as refused:
            stepcast.predict(job)
        problems = [problem.to_dict() for problem in refused.value.problems]
        assert problems == json.loads(line)["problems"], job


def test_other_answers(cli):
    def told(*arguments):
        return json.loads(cli(*arguments, "--json"))

    ranking = stepcast.rank(LINK, top=7, unfit=3).to_dict()
    printed = told("rank", LINK, "--top", "7", "--unfit", "3")
    # How many had to be simulated depends on the order that cores take them in.
    assert ranking.pop("timed") > 0
    assert ranking == {key: printed[key] for key in ranking}
    assert stepcast.explain(LINK).to_dict() == told("explain", LINK)
    traffic = stepcast.traffic(LINK, rank=3, matrix=True, wire="tree", order="tpd").to_dict()
    assert traffic == told("traffic", LINK, "--rank", "3", "--matrix", "--wire", "tree", "--mapping", "tpd")
    assert stepcast.scale(LINK).to_dict() == told("scale", LINK)
    weak = stepcast.scale(LINK, sizes=[16, 64], mode="weak").to_dict()
    assert weak == told("scale", LINK, "--gpus", "16,64", "--mode", "weak")
    assert stepcast.export(LINK, "torchtitan").to_dict() == told("export", LINK, "--for", "torchtitan")
    assert stepcast.picture(LINK, "memory", theme="dark") == cli("picture", LINK, "--view", "memory", "--theme", "dark")


def test_imported_files(cli, tmp_path: Path):
    file = tmp_path / "config.json"
    file.write_text(CONFIG)
    imported = stepcast.import_config(file, onto=LINK)
    assert imported.to_dict() == json.loads(cli("import", str(file), "--onto", LINK, "--json"))
    assert (
        imported
        == stepcast.import_config(str(file), "hf-config", onto=LINK)
        == stepcast.import_config(CONFIG, onto=LINK)
    )
    assert stepcast.predict(imported).plan == stepcast.predict(LINK, **imported.fields).plan
