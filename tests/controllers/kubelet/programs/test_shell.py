import pytest

from memkube.controllers.kubelet.programs.parser import parse_script
from memkube.controllers.kubelet.programs.program import NotSimulated
from tests.controllers.kubelet.programs.playing import played

ENVIRONMENT = {"GREETING": "Hello", "LIST": "a b  c"}


@pytest.mark.parametrize(
    ("script", "output"),
    [
        ('echo "Hello, Kubernetes!"', "Hello, Kubernetes!\n"),
        ("echo one; echo two", "one\ntwo\n"),
        ("echo one\necho two # three", "one\ntwo\n"),
        ("true && echo yes || echo no", "yes\n"),
        ("false && echo yes || echo no", "no\n"),
        ("! false && echo yes", "yes\n"),
        ("false; echo $?", "1\n"),
        ("echo $GREETING ${GREETING}s '$GREETING' \"$GREETING\"", "Hello Hellos $GREETING Hello\n"),
        ("echo ${NAME:-nobody} $NAME.", "nobody .\n"),
        ('echo $LIST; echo "$LIST"', "a b c\na b  c\n"),
        ("echo x$LIST", "xa b c\n"),
        ("for i in 1 2 3; do echo $i; done", "1\n2\n3\n"),
        ("for i in $LIST; do echo $i; done", "a\nb\nc\n"),
        ("i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "0\n1\n2\n"),
        ("i=5; until test $i -le 3; do i=$(($i - 1)); done; echo $i", "3\n"),
        ("while true; do echo once; break; done", "once\n"),
        ("for i in 1 2 3; do if [ $i = 2 ]; then continue; fi; echo $i; done", "1\n3\n"),
        ("if false; then echo a; elif true; then echo b; else echo c; fi", "b\n"),
        ("{ echo a; echo b; }", "a\nb\n"),
        ('echo "now: $(date +%H:%M)"', "now: 03:04\n"),
        ("X=1; export X; printenv X", "1\n"),
        ("X=2 printenv X; echo $X.", "2\n.\n"),
        ("echo a > /tmp/f; echo b >> /tmp/f; cat /tmp/f", "a\nb\n"),
        ("echo hidden > /dev/null; echo shown", "shown\n"),
        ("nothing 2>/dev/null || echo missing", "missing\n"),
        ("cat /no 2>&1", "cat: can't open '/no': No such file or directory\n"),
        ("echo a\\\n b", "a b\n"),
        ("sh -c 'echo inner'", "inner\n"),
        ("echo before; exec echo after; echo never", "before\nafter\n"),
        ("printf '%s-%03d\\n' a 7 b 8", "a-007\nb-008\n"),
        ("echo `date +%H`", "03\n"),
        ("(cd /tmp; X=1; pwd); pwd; echo $X.", "/tmp\n/\n.\n"),
        ("case $GREETING in Bye) echo no;; H*|x) echo yes;; *) echo never; esac", "yes\n"),
        ("x=web-12; echo ${x##*-} ${x%-*} ${x#*e}", "12 web b-12\n"),
        ("touch /d/a /d/b; echo /d/* '/d/*' /d/*.no", "/d/a /d/b /d/* /d/*.no\n"),
        ("sh -c 'echo $0 $1 $#' x y", "x y 1\n"),
        ("set -e; false || echo on; if false; then :; fi; false; echo never", "on\n"),
        ("[[ -e /d ]] || echo none", "none\n"),
        ("trap 'echo never' TERM; echo $?", "0\n"),
        ("printf 'a\\tb\\n' | tr -d '[:cntrl:]'; echo 1f-g | tr -d '[:xdigit:]'", "ab-g\n"),
        ("unset GREETING; echo ${GREETING-gone}", "gone\n"),
    ],
)
def test_scripts_write_what_a_shell_would_write(script: str, output: str) -> None:
    result = played("sh", "-c", script, environment=ENVIRONMENT)
    assert (result.output, result.errors) == (output, "")


@pytest.mark.parametrize(
    ("command", "errors"),
    [
        (["sh", "-x", "-c", "x='a b'; echo $x \"$x\" >/dev/null"], "+ x='a b'\n+ echo a b 'a b'\n"),
        (["sh", "-xc", "y=1 true && (set +x; echo b)"], "+ y=1 true\n+ set +x\n"),
        (["sh", "-c", "echo a; set -x; for i in 1 2; do sleep $i; done"], "+ sleep 1\n+ sleep 2\n"),
    ],
)
def test_a_shell_shows_its_commands_if_it_was_told_to(command: list[str], errors: str) -> None:
    assert played(*command).errors == errors


@pytest.mark.parametrize(
    ("script", "code"),
    [("exit 3", 3), ("false", 1), ("true", 0), ("sleep 1; exit 42; true", 42), ("nothing", 127), ("(exit 4)", 4)],
)
def test_scripts_end_with_the_code_of_exit_or_of_the_last_command(script: str, code: int) -> None:
    assert played("/bin/sh", "-c", script).code == code


def test_sleep_takes_its_time() -> None:
    assert played("sh", "-c", "sleep 1.5; sleep 2m 3s").seconds == pytest.approx(124.5)


def test_a_loop_writes_at_the_pace_of_its_sleep() -> None:
    result = played("sh", "-c", "while true; do date +%S; sleep 10; done", until=25)
    assert (result.output, result.written_at, result.code) == ("05\n15\n25\n", [0, 10, 20], None)


def test_a_loop_that_never_sleeps_lets_go_of_the_clock() -> None:
    assert played("sh", "-c", "while true; do true; done", until=5).code is None


def test_a_container_runs_on_with_a_command_that_is_not_played() -> None:
    result = played("sh", "-c", "echo starting; nginx; echo never", becomes_server=True)
    assert (result.output, result.serves) == ("starting\n", "nginx is not simulated")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo a; sleep 1 & wait", "'&' is not simulated"),
        ("until host db; do sleep 2; done", "host is not simulated"),
        ("date | sed s/a/b/", "sed is not simulated"),
        ("ls -Z | head", "ls -Z is not simulated"),
        ("exec nginx -g 'daemon off;'", "nginx is not simulated"),
        ("cat /dev/urandom | head -c 8", "reading /dev/urandom is not simulated"),
        ("[[ $HOSTNAME =~ -([0-9]+)$ ]] || exit 1", "'(' is not simulated"),
        (
            "sh /scripts/of-the-image.sh",
            "/scripts/of-the-image.sh is a file of the image; files of images are not available",
        ),
    ],
)
def test_a_container_that_is_not_played_is_a_server_and_says_why(script: str, why: str) -> None:
    result = played("sh", "-c", script, becomes_server=True)
    assert (result.serves, result.code) == (why, None)


def test_a_missing_command_is_not_found() -> None:
    result = played("sh", "-c", "nginx")
    assert (result.errors, result.code) == ("sh: nginx: not found\n", 127)


@pytest.mark.parametrize(
    ("command", "errors"),
    [
        (
            ["/bin/sh", "-c", "echo > /etc/config/color"],
            "/bin/sh: can't create /etc/config/color: Read-only file system\n",
        ),
        (["/bin/sh", "-c", "nginx"], "/bin/sh: nginx: not found\n"),
        (["/bin/sh", "-c", "true\ncd /nope"], "/bin/sh: cd: line 1: can't cd to /nope: No such file or directory\n"),
        (["sh", "-c", "cat < /nope", "named"], "named: line 0: can't open /nope: no such file\n"),
        (["sh", "/scripts/run"], "/scripts/run: line 6: nginx: not found\n"),
    ],
)
def test_a_shell_writes_its_name_and_the_line_before_its_errors(command: list[str], errors: str) -> None:
    script = b"true\ncat <<END\n1\n2\nEND\nnginx\n"
    assert played(*command, mounted={"/scripts/run": script, "/etc/config/color": b""}).errors == errors


def test_a_shell_with_a_terminal_writes_no_lines() -> None:
    errors = "sh: cd: can't cd to /nope: No such file or directory\n"
    assert played("sh", lines=[b"cd /nope\n"], terminal=True).errors == errors
    assert played("sh", lines=[b"\n", b"cd /nope\n"]).errors == errors.replace("cd:", "cd: line 2:", 1)


@pytest.mark.parametrize(
    ("script", "output", "errors", "code"),
    [
        ("echo ${X:?}; echo after", "", "sh: X: parameter not set or null\n", 2),
        ("X=; echo ${X?}after", "after\n", "", 0),
        ("echo ${X?no x here}", "", "sh: X: no x here\n", 2),
        ("(echo ${X?}); echo after $?", "after 2\n", "sh: X: parameter not set\n", 0),
        ("X=1; echo ${X:?}", "1\n", "", 0),
    ],
)
def test_a_variable_can_be_required(script: str, output: str, errors: str, code: int) -> None:
    result = played("sh", "-c", script)
    assert (result.output, result.errors, result.code) == (output, errors, code)


def test_the_first_argument_is_the_name_of_the_shell() -> None:
    assert played("/bin/sh", "-c", "echo $0").output == "/bin/sh\n"


def test_a_shell_reads_commands_line_by_line() -> None:
    result = played("sh", lines=[b"X=1\n", b"echo $X\n", b"exit 4\n", b"echo never\n"])
    assert (result.output, result.code) == ("1\n", 4)


def test_a_shell_with_a_terminal_shows_a_prompt() -> None:
    assert played("sh", lines=[b"hostname\n"], terminal=True).output == "/ # web-0\n/ # "


@pytest.mark.parametrize(
    "script",
    [
        "a |",
        "a &",
        "(a",
        "case a in b) ;;",
        "echo `date",
        "if true",
        "echo '",
        "a &&",
        "f() { a; }",
        "a=(b)",
        "cat << E",
        "cat <<< a",
        'cat << E\n"$(a)"\nE',
        "echo ${x:=y}",
        'echo "$@"',
        "{ " * 9999,
        "(" * 9999,
        "$(" * 9999,
    ],
)
def test_what_is_not_played_is_said_to_be_so(script: str) -> None:
    with pytest.raises(NotSimulated):
        parse_script(script)


def test_an_interactive_shell_names_a_command_that_is_not_simulated_and_continues() -> None:
    lines = [b"vim\n", b"sh -c vim\n", b"echo after\n"]
    shell = played("sh", lines=lines, becomes_server=True, terminal=True)
    assert (shell.serves, shell.code) == (None, 0)
    assert shell.errors.splitlines() == ["sh: vim is not simulated", "sh: vim: not found"]
    assert "after\n" in shell.output
