import pytest

from tests.controllers.kubelet.programs.playing import played

MOUNTED = {"/etc/hostname": b"web-0\n"}


@pytest.mark.parametrize(
    ("script", "output"),
    [
        ("echo hi | cat", "hi\n"),
        ("cat /etc/hostname | tr a-z A-Z", "WEB-0\n"),
        ("seq 3 | while read i; do echo $((i*2)); done", "2\n4\n6\n"),
        ("echo a b | { read x y; echo $y $x; }", "b a\n"),
        ("false | true; echo $?; ! true | false; echo $?", "0\n0\n"),
        ("exit 3 | cat; echo on", "on\n"),
        ("X=1; X=2 | true; echo $X", "1\n"),
        ("cat /no 2>&1 | grep -c such", "1\n"),
        ("echo a |\n cat # b", "a\n"),
    ],
)
def test_a_pipe_hands_on_what_is_written(script: str, output: str) -> None:
    result = played("sh", "-c", script, mounted=MOUNTED)
    assert (result.output, result.errors) == (output, "")


@pytest.mark.parametrize(
    ("script", "output", "errors"),
    [
        ("echo hi > notes; cat notes", "hi\n", ""),
        ("cd /tmp; echo a > f; echo b >> f; cat /tmp/f", "a\nb\n", ""),
        ("for i in 1 2; do echo $i; done > /f; cat < /f", "1\n2\n", ""),
        ("{ echo a; echo b >&2; } > /f 2>&1; cat /f", "a\nb\n", ""),
        ("{ echo a; echo b >&2; } 2>&1 > /f", "b\n", ""),
        ("no &> /f; cat /f", "sh: no: not found\n", ""),
        ("echo a > /dev/stderr", "", "a\n"),
        ('cat <<END\na $((1+1)) "b"\nEND\necho c', 'a 2 "b"\nc\n', ""),
        ("cat <<'END' > /f; echo b\n$a\nEND\ncat /f", "b\n$a\n", ""),
        ("if true; then\n\tcat <<-END | tr a A\n\t\ta\n\tEND\nfi", "A\n", ""),
        ("> /f; wc -c /f", "0 /f\n", ""),
        ("read x < /etc/hostname; echo $x", "web-0\n", ""),
        ("while read l; do echo $l; done < /etc/hostname", "web-0\n", ""),
        ("cat < /no || echo none", "none\n", "sh: can't open /no: no such file\n"),
        ("echo a > /etc/hostname", "", "sh: can't create /etc/hostname: Read-only file system\n"),
        ("echo a > /tmp", "", "sh: can't create /tmp: Is a directory\n"),
    ],
)
def test_redirections_lead_to_files_and_streams(script: str, output: str, errors: str) -> None:
    result = played("sh", "-c", script, mounted=MOUNTED)
    assert (result.output, result.errors) == (output, errors)


def test_programs_of_a_pipe_run_side_by_side() -> None:
    result = played(
        "sh", "-c", "while true; do date +%S; sleep 2; done | while read l; do sleep 2; echo $l; done", until=9
    )
    assert (result.output, result.written_at) == ("05\n07\n09\n11\n", [2, 4, 6, 8])


@pytest.mark.parametrize(
    "script", ["yes | head -n 2", "while true; do echo y; done | head -n 2", "seq 1 999999999 | tr -d 0-9 | head -n 2"]
)
def test_a_program_that_nobody_reads_any_more_ends(script: str) -> None:
    result = played("sh", "-c", f"{script} | wc -l")
    assert (result.output, result.code) == ("2\n", 0)


def test_a_program_that_is_read_slowly_waits() -> None:
    result = played("sh", "-c", "seq 1 999999999 | while read i; do echo $i; sleep 1; done", until=2.5)
    assert (result.output, result.code) == ("1\n2\n3\n", None)


def test_a_pipe_reads_what_is_typed() -> None:
    assert played("sh", "-c", "cat | rev", lines=[b"ab\n", b"cd\n"]).output == "ba\ndc\n"


@pytest.mark.parametrize(
    "script",
    [
        "while true; do true; done",
        "while true; do for i in 1 2 3; do :; done; done",
        "yes > /dev/null",
        "yes | cat > /dev/null",
        "yes | while read l; do :; done",
        "seq 1 999999999999 | grep x",
    ],
)
def test_what_never_waits_lets_others_have_their_turn(script: str) -> None:
    result = played("sh", "-c", script, until=10)
    assert (result.code, result.seconds > 5, result.rests < 30) == (None, True, True)


@pytest.mark.parametrize(
    ("script", "errors"),
    [
        ("yes | sort", "sh: sort with more than 8 MiB of input is not simulated\n"),
        ("echo $(yes)", "sh: $(…) with an output of more than 1 MiB is not simulated\n"),
        ("x=a; while true; do x=$x$x; done", "sh: a shell word of more than 1 MiB is not simulated\n"),
        ("printf %9999999999d 1", "printf: %9999999999d: invalid format\n"),
    ],
)
def test_what_would_need_more_and_more_memory_is_not_played(script: str, errors: str) -> None:
    assert played("sh", "-c", script).errors == errors


def test_a_container_runs_out_of_space_for_its_files() -> None:
    result = played("sh", "-c", "echo 12345 > /f; echo 1234 > /g; echo 12345 >> /f; cat /f /g", file_bytes=12)
    assert (result.output, result.errors) == ("12345\n1234\n", "sh: write error: No space left on device\n")
