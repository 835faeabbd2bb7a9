"""The template function ``printf``. The expected texts are those of Go."""

import pytest

from memkube.controllers.stages.languages.template_values import TemplateError
from tests.controllers.stages.languages.rendering import rendered


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('"%5d|%-5d|%05d|%+d|% d" 42 42 42 42 42', "   42|42   |00042|+42| 42"),
        ('"%x|%X|%o|%b|%#x|%c|%q|%U" 255 255 8 5 255 65 65 65', "ff|FF|10|101|0xff|A|'A'|U+0041"),
        ('"%s|%5s|%-5s|%.2s|%q" "abc" "abc" "abc" "abc" "a\\""', 'abc|  abc|abc  |ab|"a\\""'),
        ('"%x|% x|%X|%6v|%06v" "hi" "hi" "hi" true 5', "6869|68 69|6869|  true|000005"),
        (
            '"%f|%.2f|%8.3f|%-8.1f|%08.2f" 3.14159 3.14159 3.14159 3.14159 3.14159',
            "3.141590|3.14|   3.142|3.1     |00003.14",
        ),
        (
            '"%e|%g|%v|%+.1f|%G|%.3g|%6.2f%%" 1234.5 0.00001 1e20 2.5 1e20 1234.5 99.5',
            "1.234500e+03|1e-05|1e+20|+2.5|1E+20|1.23e+03| 99.50%",
        ),
        ('"%d %s %d %s" "a" 3 .n .n', "%!d(string=a) %!s(int=3) %!d(json.Number=3) 3"),
        ('"%v %s %t %t" .z .z true 1', "<nil> %!s(<nil>) true %!t(int=1)"),
        ('"%d" 1.5', "%!d(float64=1.5)"),
        ('"%d %d" 1', "1 %!d(MISSING)"),
        ('"%d" 1 2 .z', "1%!(EXTRA int=2, <nil>)"),
        ('"%s %v" (list "a" "b") (dict "a" 1)', "[a b] map[a:1]"),
        ('"%"', "%!(NOVERB)"),
        ('"%z" 1', "%!z(int=1)"),
        ('"%d %s" (add 1 2) (add 1 2)', "3 %!s(int64=3)"),
        ('"%5.1v" 2.25', "    2"),
        ('"%8T %T %T" "a" .n 1.5', "  string json.Number float64"),
    ],
)
def test_values_are_formatted_as_by_go(arguments: str, expected: str) -> None:
    assert rendered(f"{{{{ printf {arguments} }}}}") == expected


@pytest.mark.parametrize(
    "arguments",
    ['"%*d" 1 2', '"%[1]d" 1', '"%d" (list 1)', '"%+v" .m', '"%q" now', '"%q" 10', '"%#v" 1.5'],
)
def test_some_formats_are_not_supported(arguments: str) -> None:
    with pytest.raises(TemplateError, match="is not supported"):
        rendered(f"{{{{ printf {arguments} }}}}")
