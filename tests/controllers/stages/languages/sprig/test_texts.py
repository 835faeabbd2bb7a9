"""Sprig's functions for texts. The expected texts are those of Sprig 3.3."""

import pytest

from memkube.controllers.stages.languages.template_values import TemplateError
from tests.controllers.stages.languages.rendering import rendered


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('title "hello wORLD foo_bar it\'s 2x"', "Hello WORLD Foo_bar It'S 2x"),
        ('untitle "Hello World"', "hello world"),
        ('swapcase "This Is a.TEst"', "tHIS iS A.teST"),
        ('substr 0 5 "hello world"', "hello"),
        ('substr -1 3 "hello"', "hel"),
        ('substr 2 -1 "hello"', "llo"),
        ('substr 1 99 "hello"', "ello"),
        ('trimAll "$" "$5.00$"', "5.00"),
        ('trimall "" " a "', " a "),
        ('nospace "h e  lo"', "helo"),
        ('initials "First Try  again"', "FTa"),
        ('abbrev 5 "hello world"', "he..."),
        ('abbrev 3 "hello world"', "hello world"),
        ('abbrevboth 5 10 "1234 5678 9123"', "...5678..."),
        ('abbrevboth 10 12 "1234 5678 9123 4567 89"', "...9123 4..."),
        ('abbrevboth 6 5 "1234 5678 9123"', "1234 5678 9123"),
        ('wrap 10 "the quick brown fox"', "the quick\nbrown fox"),
        ('wrap 3 "a verylongword b c d"', "a\nverylongword\nb c\nd"),
        ('wrapWith 5 "/" "Hello World longerword x"', "Hello/World/longe/rword/x"),
        ('wrapWith 3 "" "abcdefgh ij"', "abc\ndef\ngh\nij"),
        ('snakecase "FirstName"', "first_name"),
        ('snakecase "HTTPServer"', "http_server"),
        ('snakecase "GO-PATH"', "go_path"),
        ('snakecase "http2xx"', "http_2xx"),
        ('snakecase "HTTP20xOK"', "http_20x_ok"),
        ('snakecase "Bld4Floor3rd"', "bld4_floor_3rd"),
        ('snakecase "a.b.C"', "a.b.c"),
        ('snakecase "ABC12DEF"', "abc12_def"),
        ('kebabcase "FirstName"', "first-name"),
        ('kebabcase "a b--c D"', "a-b--c-d"),
        ('kebabcase "1st2Nd"', "1st2-nd"),
        ('kebabcase "a1B2c3"', "a1-b-2c3"),
        ('camelcase "http_server"', "HttpServer"),
        ('camelcase "_complex__case_"', "_Complex_Case_"),
        ('camelcase "some words-here x"', "SomeWordsHereX"),
        ('cat "a" .n .z .l', "a 3 [b a b <nil> 3]"),
        ('quote "a\\"" .n .z true', '"a\\"" "3" "true"'),
        ('squote 1 "b" .z', "'1' 'b'"),
        ('plural "one" "many" 1', "one"),
        ('plural "one" "many" 2', "many"),
        ('plural "one" "many" (len .l)', "many"),
        ('(split "/" "a/b/c")._2', "c"),
        ('splitn "/" 2 "a/b/c"', "map[_0:a _1:b/c]"),
        ('splitn "/" 0 "a/b"', "map[]"),
        ('splitn "" 2 "abc"', "map[_0:a _1:bc]"),
        ('splitList "," "a,b,,c"', "[a b  c]"),
        ('repeat 2 "ab"', "abab"),
        ('trunc -2 "abc"', "bc"),
        ('indent 2 "a\\nb"', "  a\n  b"),
        ("hello", "Hello!"),
    ],
)
def test_a_call_has_the_result_of_sprig(call: str, expected: str) -> None:
    assert rendered(f"{{{{ {call} }}}}") == expected


@pytest.mark.parametrize(
    "call",
    [
        'substr 4 2 "hello"',
        'repeat -1 "a"',
        'indent -1 "a"',
        'repeat .n "a"',
        'plural "one" "many" (add 1)',
        "upper .n",
    ],
)
def test_arguments_that_sprig_refuses_are_errors(call: str) -> None:
    with pytest.raises(TemplateError, match="error calling"):
        rendered(f"{{{{ {call} }}}}")
