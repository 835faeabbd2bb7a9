"""Sprig's functions for paths and URLs. The expected texts are those of Sprig 3.3."""

import pytest

from memkube.controllers.stages.languages.template_values import TemplateError
from tests.controllers.stages.languages.rendering import rendered


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('base "a/b.txt"', "b.txt"),
        ('base ""', "."),
        ('base "/"', "/"),
        ('base "a/"', "a"),
        ('dir "a/b/c"', "a/b"),
        ('dir "a"', "."),
        ('dir "/a"', "/"),
        ('clean "a/../b//c/./d"', "b/c/d"),
        ('clean ""', "."),
        ('clean "//a"', "/a"),
        ('ext "a.b.txt"', ".txt"),
        ('ext "a.d/b" | quote', '""'),
        ('isAbs "/a"', "true"),
        ('osBase "/x/y"', "y"),
        ('osDir "/x/y"', "/x"),
        ('osClean "x//y"', "x/y"),
        ('osExt "x.go"', ".go"),
        ('osIsAbs "x"', "false"),
        (
            'urlParse "http://admin:secret@Server.com:8080/api/x%20y?list=false#an%20chor"',
            (
                "map[fragment:an chor host:Server.com:8080 hostname:Server.com opaque: path:/api/x y query:list=false "
                "scheme:http userinfo:admin:secret]"
            ),
        ),
        ('urlParse "mailto:a@b"', "map[fragment: host: hostname: opaque:a@b path: query: scheme:mailto userinfo:]"),
        (
            'urlParse "http://[::1]:80/"',
            "map[fragment: host:[::1]:80 hostname:::1 opaque: path:/ query: scheme:http userinfo:]",
        ),
        (
            'urlJoin (dict "fragment" "fr ag" "host" "host:80" "path" "/pa th" "query" "q=1" "scheme" "http")',
            "http://host:80/pa%20th?q=1#fr%20ag",
        ),
        ('urlJoin (dict "scheme" "mailto" "opaque" "a@b")', "mailto:a@b"),
        ('urlJoin (dict "host" "h" "path" "x")', "//h/x"),
        ('urlJoin (dict "scheme" "https" "host" "h" "userinfo" "u:p")', "https://u:p@h"),
        ('urlJoin (dict "path" "a:b/c")', "./a:b/c"),
    ],
)
def test_a_call_has_the_result_of_sprig(call: str, expected: str) -> None:
    assert rendered(f"{{{{ {call} }}}}") == expected


@pytest.mark.parametrize(
    "call",
    [
        'urlParse "http://[::1"',
        'urlJoin (dict "host" 1)',
    ],
)
def test_arguments_that_sprig_refuses_are_errors(call: str) -> None:
    with pytest.raises(TemplateError, match="error calling"):
        rendered(f"{{{{ {call} }}}}")
