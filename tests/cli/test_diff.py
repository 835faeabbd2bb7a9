import json
from pathlib import Path

import pytest

from tests.cli.processes import on_a_terminal, run_memkube

_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: %s}\n"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    for name, value in (("old", "one"), ("new", "two")):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.yaml").write_text(_MAP % value)
    return str(tmp_path / "old"), str(tmp_path / "new")


def test_a_difference_is_shown_and_ends_with_1(environment: dict[str, str], folders: tuple[str, str]) -> None:
    done = run_memkube(environment, "diff", *folders)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[:3] == [
        "diff ConfigMap default/a",
        f"--- {folders[0]}/old.yaml:2",
        f"+++ {folders[1]}/new.yaml:2",
    ]
    assert "-  x: one\n+  x: two\n" in done.stdout
    assert run_memkube(environment, "diff", "--brief", *folders).stdout == "~ ConfigMap default/a\n"


def test_no_difference_ends_with_0(environment: dict[str, str], folders: tuple[str, str]) -> None:
    done = run_memkube(environment, "diff", folders[0], folders[0])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_cannot_be_compared_ends_with_2(environment: dict[str, str], folders: tuple[str, str]) -> None:
    done = run_memkube(environment, "diff", folders[0], "nowhere")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "memkube: nowhere: No such file or directory\n")


def test_colors_are_for_terminals(environment: dict[str, str], folders: tuple[str, str]) -> None:
    assert "\x1b[31m-  x: one\x1b[0m" in on_a_terminal(environment, "diff", *folders)


def test_differences_are_printed_for_programs(environment: dict[str, str], folders: tuple[str, str]) -> None:
    done = run_memkube(environment, "diff", "-o", "json", *folders)
    (difference,) = json.loads(done.stdout)
    named = {"change": "changed", "group": "", "kind": "ConfigMap", "namespace": "default", "name": "a"}
    assert (done.returncode, {key: difference[key] for key in named}) == (1, named)
    assert "+  x: two" in difference["diff"]
    assert run_memkube(environment, "diff", "-o", "json", folders[0], folders[0]).stdout == "[]\n"
