"""Run-time costs of library functions, with the numbers of Kubernetes' own tests."""

import pytest

from memkube.cel.functions.authorizers import AlwaysAllow, Authorizer
from tests.cel.functions.evaluating import cost_of

_TEXT = "a" * 95
_WORDS = ["b" * 15] * 30


@pytest.mark.parametrize(
    ("expression", "cost"),
    [
        ("text.lowerAscii()", 12),
        ("text.replace('a', 'b')", 21),
        ("text.split('a')", 21),
        ("words.join('-')", 98),
        ("text.indexOf('a')", 11),
        ("words.isSorted()", 32),
        ("words.indexOf('b')", 32),
        ("text.find('a+b')", 12),
        ("text.findAll(text)", 244),
        ("isURL('https://a')", 1),
        ("url('https://example.com/path').getHost()", 4),
        ("isIP('2001:db8::1')", 2),
        ("ip.isCanonical('2001:db8::1')", 3),
        ("cidr('2001:db8::/32').ip().family()", 4),
        ("cidr('2001:db8::/32').containsIP('2001:db8::1')", 5),
        ("cidr('2001:db8::/32').containsCIDR('2001:db8::/64')", 7),
        ("cidr('2001:db8::/32').containsCIDR(cidr('2001:db8::/64'))", 7),
        ("quantity('1Gi').add(quantity('10Mi')).isGreaterThan(quantity('1k'))", 5),
        ("semver('1.2.3').compareTo(semver('1.2.4'))", 3),
        ("format.dns1123Label().validate(text)", 83),
        ("format.named('uuid').value().validate('a')", 20),
        ("sets.contains(words, words)", 905),
        ("sets.equivalent(words, words)", 1805),
        ("dyn(words).slice(0, 10)", 24),
        ("lists.range(100)", 111),
        ("words.reverse()", 43),
        ("['b', 'a'].sort()", 19),
        ("[1, 2, 2].distinct()", 29),
        ("[[1], [2]].flatten()", 13),
        ("strings.quote(text)", 12),
        ("'%s'.format([text])", 13),
        ("authorizer.group('').resource('pods').fieldSelector('a=b').check('get').allowed()", 350_115),
    ],
)
def test_a_call_costs(expression: str, cost: int) -> None:
    for name in ("text", "words"):
        expression = expression.replace(name, f"x.{name}")
    assert cost_of(expression, {"x": {"text": _TEXT, "words": _WORDS}, "authorizer": Authorizer(AlwaysAllow())}) == cost
