import re
import shutil
import subprocess
import sys

import pytest

from memkube.cli.application import COMMANDS


@pytest.fixture(scope="module")
def page() -> str:
    return subprocess.run([sys.executable, "-m", "memkube", "man"], text=True, capture_output=True, check=True).stdout


def test_the_page_has_all_commands(page: str) -> None:
    assert re.findall(r"^\.SS memkube (\S+)$", page, re.MULTILINE) == [str(each.name) for each in COMMANDS]


def test_the_page_has_the_options_of_commands_below_commands(page: str) -> None:
    (section,) = re.findall(r"^\.SS memkube clock advance$(.*?)^\.SS", page, re.MULTILINE | re.DOTALL)
    assert r"\fB\-s, \-\-server URL\fR" in section


def test_an_example_keeps_its_lines(page: str) -> None:
    assert ".EX\n    source <(memkube completion bash)\n.EE" in page


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff on PATH")
def test_groff_formats_the_page_without_a_warning(page: str) -> None:
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, text=True, capture_output=True, check=True)
    assert done.stderr == ""
