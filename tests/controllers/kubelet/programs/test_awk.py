import pytest

from tests.controllers.kubelet.programs.playing import played

TABLE = {"/w/table": b"a b  c\n\n d:e f\nlast"}


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["{print $1}"], "a\n\nd:e\nlast\n"),
        (["{ print $1, $NF; }"], "a c\n \nd:e f\nlast last\n"),
        (['{print NR ": " $2 $1}'], "1: ba\n2: \n3: fd:e\n4: last\n"),
        (["{print}"], "a b  c\n\n d:e f\nlast\n"),
        (["{print $0, NF}"], "a b  c 3\n 0\n d:e f 2\nlast 1\n"),
        (["-F:", '{print $2"\\t"}'], "\t\n\t\ne f\t\n\t\n"),
        (["-F", "b", "{print $1}"], "a \n\n d:e f\nlast\n"),
    ],
)
def test_fields_of_lines_are_printed(arguments: list[str], output: str) -> None:
    assert played("awk", *arguments, "/w/table", mounted=TABLE).output == output


def test_a_script_counts_the_lines_of_a_file() -> None:
    assert played("sh", "-c", "wc -l /w/table | awk {'print $1'}", mounted=TABLE).output == "3\n"


def test_a_missing_file_is_an_error() -> None:
    result = played("awk", "{print}", "/none")
    assert (result.errors, result.code) == ("awk: /none: No such file or directory\n", 1)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["NR==1{print}"],
        ["{print $1+1}"],
        ["{print $1,}"],
        ["{print , $1}"],
        ["{print $1; print $2}"],
        ["{printf $1}"],
        ['{print > "f"}'],
        ["-F", "[ab]", "{print $1}"],
        ["-v", "x=1", "{print x}"],
    ],
)
def test_other_programs_are_not_simulated(arguments: list[str]) -> None:
    result = played("awk", *arguments, mounted=TABLE)
    assert (result.output, result.code) == ("", 2)
    assert "is not simulated" in result.errors
