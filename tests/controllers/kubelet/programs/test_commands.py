import math
import tarfile
from io import BytesIO

import pytest

from tests.controllers.kubelet.programs.playing import played

MOUNTED = {"/w/words": b"b 2\na 10\nb 2\n", "/etc/config/color": b"blue\n", "/etc/config/size": b"3"}


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (["echo", "a", "b"], "a b\n"),
        (["echo", "-n", "a"], "a"),
        (["echo", "-e", r"a\tb"], "a\tb\n"),
        (["printf", "%d%%\n", "7"], "7%\n"),
        (["date"], "Fri Jan  2 03:04:05 UTC 2026\n"),
        (["date", "+%Y-%m-%d %s"], "2026-01-02 1767323045\n"),
        (["uptime"], " 03:04:05 up 0 min,  0 users,  load average: 0.00, 0.00, 0.00\n"),
        (["env"], "A=1\nB=2\n"),
        (["printenv", "B"], "2\n"),
        (["hostname"], "web-0\n"),
        (["pwd"], "/\n"),
        (["cat", "/etc/config/color", "/etc/config/size"], "blue\n3"),
        (["ls", "/etc/config"], "color\nsize\n"),
        (["/usr/bin/env"], "A=1\nB=2\n"),
        (["seq", "3"], "1\n2\n3\n"),
        (["seq", "6", "-3", "0"], "6\n3\n0\n"),
        (["seq", "-s", ",", "2", "4"], "2,3,4\n"),
        (["head", "-n", "1", "/w/words"], "b 2\n"),
        (["head", "-1", "/w/words", "/etc/config/size"], "==> /w/words <==\nb 2\n\n==> /etc/config/size <==\n3"),
        (["head", "-c", "3", "/w/words"], "b 2"),
        (["tail", "-n", "1", "/w/words"], "b 2\n"),
        (["tail", "-n", "+3", "/w/words"], "b 2\n"),
        (["tail", "+3", "/w/words"], "b 2\n"),
        (["tail", "-c", "2", "/w/words"], "2\n"),
        (["wc", "/w/words"], "        3         6        13 /w/words\n"),
        (["wc", "-l", "/w/words"], "3 /w/words\n"),
        (["grep", "2", "/w/words"], "b 2\nb 2\n"),
        (["grep", "-v", "b", "/w/words"], "a 10\n"),
        (["grep", "-in", "^A.*0$", "/w/words"], "2:a 10\n"),
        (["grep", "-Ec", "^(a|b)?[[:alpha:]] +[0-9]+$".replace("(a|b)?", ""), "/w/words"], "3\n"),
        (["grep", "-l", "a", "/w/words", "/etc/config/size"], "/w/words\n"),
        (["grep", "-F", ".", "/w/words"], ""),
        (["sort", "/w/words"], "a 10\nb 2\nb 2\n"),
        (["sort", "-ru", "/w/words"], "b 2\na 10\n"),
        (["uniq", "-c", "/etc/config/color"], "      1 blue\n"),
        (["cut", "-d", " ", "-f", "2", "/w/words"], "2\n10\n2\n"),
        (["cut", "-c", "1-2,4", "/w/words"], "b \na 0\nb \n"),
        (["rev", "/etc/config/color"], "eulb\n"),
        (["basename", "/a/b.txt", ".txt"], "b\n"),
        (["dirname", "/a/b.txt"], "/a\n"),
        (["ls", "-a", "/etc/config"], ".\n..\ncolor\nsize\n"),
        (["date", "-Iseconds"], "2026-01-02T03:04:05+00:00\n"),
    ],
)
def test_commands_write_what_busybox_writes(command: list[str], output: str) -> None:
    result = played(*command, environment={"A": "1", "B": "2"}, mounted=MOUNTED)
    assert (result.output, result.errors, result.code) == (output, "", 0 if output else 1)


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
        (["date", "soon"], "date: invalid date 'soon'\n", 1),
        (["[", "a", "=", "b", "]"], "", 1),
        (["test", "-f", "/etc/config/color"], "", 0),
        (["printenv", "NONE"], "", 1),
        (["test", "a", "-gt", "1"], "sh: a: bad number\n", 2),
        (["grep", "-q", "x", "/w/words"], "", 1),
        (["grep", "x", "/none"], "grep: /none: No such file or directory\n", 2),
        (["head", "/none"], "head: /none: No such file or directory\n", 1),
        (["mkdir", "/tmp"], "mkdir: can't create directory '/tmp': File exists\n", 1),
        (["rm", "/tmp"], "rm: '/tmp' is a directory\n", 1),
        (["ls", "-Z"], "sh: ls -Z is not simulated\n", 2),
        (["tr", "-d", "[:print:]"], "sh: tr with the class [:print:] is not simulated\n", 2),
        (["grep", "-E", "(a+)+$", "/w/words"], "sh: grep with ( in its pattern is not simulated\n", 2),
        (["grep", "[a[:cntrl:]]", "/w/words"], "sh: grep with [a[:cntrl:]] in its pattern is not simulated\n", 2),
        (["printf", "%d", "1.0e999"], "printf: 1.0e999: invalid number\n", 1),
        (["printf", "%f", "1" * 400], f"printf: {'1' * 400}: invalid number\n", 1),
    ],
)
def test_commands_fail_as_in_busybox(command: list[str], errors: str, code: int) -> None:
    result = played(*command, mounted=MOUNTED)
    assert (result.errors, result.code) == (errors, code)


def test_cat_without_a_file_repeats_its_input() -> None:
    assert played("cat", lines=[b"a\n", b"b\n"]).output == "a\nb\n"


@pytest.mark.parametrize(
    ("command", "text", "output"),
    [
        (["tr", "a-z", "A-Z"], b"abc1\n", "ABC1\n"),
        (["tr", "[:lower:]", "x"], b"ab1\n", "xx1\n"),
        (["tr", "-d", r"\n"], b"a\n", "a"),
        (["tr", "-s", " "], b"a   b\n", "a b\n"),
        (["tr", "-cd", "0-9"], b"a1b2\n", "12"),
        (["wc", "-lw"], b"a b\n", "        1         2\n"),
        (["tee", "/a"], b"x\n", "x\n"),
        (["head", "-n", "1"], b"x\n", "x\n"),
        (["sort", "-n"], b"10\n", "10\n"),
    ],
)
def test_commands_work_on_their_input(command: list[str], text: bytes, output: str) -> None:
    result = played(*command, lines=[text])
    assert (result.output, result.errors, result.code) == (output, "", 0)


@pytest.mark.parametrize(
    ("script", "output"),
    [
        ("mkdir -p /d/e; touch /d/e/f; ls /d /d/e", "/d:\ne\n\n/d/e:\nf\n"),
        ("mkdir /d; rm -r /d; [ -d /d ] || echo gone", "gone\n"),
        ("echo 1 > a; cp a b; mv b /tmp; cat a /tmp/b; ls b 2>/dev/null || echo moved", "1\n1\nmoved\n"),
        ("echo 1 | tee -a /a /b; echo 2 | tee -a /a; cat /a /b", "1\n2\n1\n2\n1\n"),
        ("[ 1 -lt 2 -a ! -e /x ] && test -s /etc/config/size -o b = c && echo yes", "yes\n"),
    ],
)
def test_commands_change_files(script: str, output: str) -> None:
    result = played("sh", "-c", script, mounted=MOUNTED)
    assert (result.output, result.errors) == (output, "")


def test_tail_follows_a_file_that_grows_and_one_that_begins_anew() -> None:
    script = "echo 1 > /f; { sleep 2; echo 2 >> /f; sleep 2; echo 3 > /f; } | tail -f /f"
    result = played("sh", "-c", script, until=6)
    assert (result.output, result.written_at) == ("1\n2\n3\n", [0, 3, 5])


def test_tail_follows_a_file_that_it_may_not_read_any_more() -> None:
    script = "echo 1 > /tmp/f; { sleep 2; echo 2 >> /tmp/f; chmod 0 /tmp/f; } | tail -f /tmp/f"
    result = played("sh", "-c", script, until=6, user=1000)
    assert (result.output, result.errors) == ("1\n", "")


def test_tail_waits_for_a_file_by_its_name() -> None:
    result = played("sh", "-c", "{ sleep 2; echo 1 > /f; } | tail -n+1 -F /f", until=6)
    assert (result.output, result.code) == ("1\n", None)


def test_a_pattern_that_would_be_tried_for_ever_takes_no_time() -> None:
    result = played("grep", "-c", ".*.*.*.*.*.*.*.*.*.*x$", lines=[b"a" * 10_000 + b"\n"])
    assert (result.output, result.code) == ("0\n", 1)


def test_sleeping_for_ever_has_no_end() -> None:
    assert played("sleep", "infinity", until=math.inf).code is None


def test_an_archive_is_unpacked_where_it_is_told_to() -> None:
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as made:
        for name, contents in (("etc/greeting", b"hello\n\0"), ("etc/sub/other", b"")):
            member = tarfile.TarInfo(name)
            member.size = len(contents)
            made.addfile(member, BytesIO(contents))
    script = "tar -xmf - -C /opt; ls /opt/etc; wc -c /opt/etc/greeting"
    found = played("sh", "-c", script, lines=packed.getvalue().splitlines(keepends=True))
    assert (found.output, found.errors, found.code) == ("greeting\nsub\n7 /opt/etc/greeting\n", "", 0)


@pytest.mark.parametrize(("packs", "unpacks"), [("cf", "xf"), ("-zcf", "-zxpf")])
def test_what_is_packed_is_unpacked_again(packs: str, unpacks: str) -> None:
    script = f"mkdir /a/b; echo hi > /a/b/c; cd /a; tar {packs} - b | tar {unpacks} - -C /tmp; cat /tmp/b/c"
    assert played("sh", "-c", script).output == "hi\n"


@pytest.mark.parametrize(
    ("script", "errors", "code"),
    [
        ("echo no | tar xf -", "tar: invalid tar magic\n", 1),
        (
            "tar cf - /none | cat > /dev/null",
            "tar: removing leading '/' from member names\ntar: /none: No such file or directory\n",
            0,
        ),
        ("tar cf - /etc/config > /dev/null", "tar: removing leading '/' from member names\n", 0),
        ("tar tf -", "sh: tar tf - is not simulated\n", 2),
    ],
)
def test_an_archive_that_cannot_be_made_or_read_is_told_of(script: str, errors: str, code: int) -> None:
    found = played("sh", "-c", script, mounted=MOUNTED)
    assert (found.errors, found.code) == (errors, code)
