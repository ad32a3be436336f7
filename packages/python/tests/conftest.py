"""The command line, which the package is compared with, and random jobs: `cargo xtask test native` names both."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def cli():
    """Runs the command line and returns what it prints."""

    def run(*arguments, text=""):
        command = [os.environ["STEPCAST"], *arguments]
        return subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=True).stdout

    return run


@pytest.fixture(scope="session")
def links():
    """Links of random jobs that can be run, drawn from the whole table of fields."""
    return Path(os.environ["STEPCAST_LINKS"]).read_text(encoding="utf-8").split("\n")[:-1]
