import math

import pytest

from tests.controllers.kubelet.programs.playing import played

MOUNTED = {"/etc/config/color": b"blue\n", "/etc/config/size": b"3"}


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (["echo", "a", "b"], "a b\n"),
        (["echo", "-n", "a"], "a"),
        (["echo", "-e", r"a\tb"], "a\tb\n"),
        (["printf", "%d%%\n", "7"], "7%\n"),
        (["date"], "Fri Jan  2 03:04:05 UTC 2026\n"),
        (["date", "+%Y-%m-%d %s"], "2026-01-02 1767323045\n"),
        (["env"], "A=1\nB=2\n"),
        (["printenv", "B"], "2\n"),
        (["hostname"], "web-0\n"),
        (["pwd"], "/\n"),
        (["cat", "/etc/config/color", "/etc/config/size"], "blue\n3"),
        (["ls", "/etc/config"], "color\nsize\n"),
        (["/usr/bin/env"], "A=1\nB=2\n"),
    ],
)
def test_commands_write_what_busybox_writes(command: list[str], output: str) -> None:
    result = played(*command, environment={"A": "1", "B": "2"}, mounted=MOUNTED)
    assert (result.output, result.errors, result.code) == (output, "", 0)


@pytest.mark.parametrize(
    ("command", "errors", "code"),
    [
        (["false"], "", 1),
        (["cat", "/etc/config"], "cat: read error: Is a directory\n", 1),
        (["cat", "/none"], "cat: can't open '/none': No such file or directory\n", 1),
        (["touch", "/etc/config/new"], "touch: /etc/config/new: Read-only file system\n", 1),
        (["rm", "/none"], "rm: can't remove '/none': No such file or directory\n", 1),
        (["rm", "-f", "/none"], "", 0),
        (["sleep", "soon"], "sleep: invalid number 'soon'\n", 1),
        (["[", "a", "=", "b", "]"], "", 1),
        (["test", "-f", "/etc/config/color"], "", 0),
        (["printenv", "NONE"], "", 1),
    ],
)
def test_commands_fail_as_in_busybox(command: list[str], errors: str, code: int) -> None:
    result = played(*command, mounted=MOUNTED)
    assert (result.errors, result.code) == (errors, code)


def test_cat_without_a_file_repeats_its_input() -> None:
    assert played("cat", lines=[b"a\n", b"b\n"]).output == "a\nb\n"


def test_sleeping_for_ever_has_no_end() -> None:
    assert played("sleep", "infinity", until=math.inf).code is None
