"""The package's types are complete, and say what it does."""

import subprocess
import sys
from pathlib import Path


def test_types():
    file = Path(__file__).with_name("typed.py")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--python-version", "3.10"]
    for what in (["-p", "stepcast"], [str(file)]):
        out = subprocess.run([*command, *what], capture_output=True, encoding="utf-8", cwd=file.parent)
        assert out.returncode == 0, out.stdout + out.stderr
