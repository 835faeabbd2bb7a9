"""Estimated costs of expressions, with the numbers of Kubernetes' own tests."""

from collections.abc import Callable

import pytest

from memkube.cel.costs.ranges import MAX, Range, exact
from memkube.cel.environment import CompileError
from memkube.cel.libraries.kubernetes import JSON_PATCHES
from memkube.cel.types import struct
from tests.cel.compiling import VARIABLES

AUTHORIZER = struct("kubernetes.authorization.Authorizer")
ENVIRONMENT = VARIABLES.extended({"authorizer": AUTHORIZER}, library=JSON_PATCHES)


def nothing_known(path: tuple[str, ...]) -> Range | None:
    """A `size_of` function that knows no sizes."""
    return None


def cost_of(expression: str, size_of: Callable[[tuple[str, ...]], Range | None] = nothing_known) -> Range:
    """Return the minimum and maximum estimated cost of an expression."""
    compiled = ENVIRONMENT.compile(expression)
    assert not isinstance(compiled, CompileError), compiled.detail
    return compiled.cost(size_of)


@pytest.mark.parametrize(
    ("expression", "least", "most"),
    [
        ("1", 0, 0),
        ("n", 1, 1),
        ("n + 1", 2, 2),
        ("[1, 2, 3]", 10, 10),
        ("{'a': 1}", 30, 30),
        ("n == 1 && n == 2", 2, 4),
        ("n == 1 ? n + n : 1", 2, 5),
        ("has(object.a.b)", 1, 1),
        ("object.a.b == 1", 2, 2),
        ("'abcdefghijabcdefghij' + 'abcdefghij'", 3, 3),
        ("'abcdefghij'.startsWith('abcdefghijabc')", 2, 2),
        ("'abcdefghij'.contains('abcdefghijabc')", 2, 2),
        ("'abcdefghijabc'.matches('abcde')", 4, 4),
        ("1 in [1, 2, 3]", 13, 13),
        ("[1, 2, 3].all(x, x > 0)", 20, 26),
        ("[1, 2, 3].map(x, x)", 60, 60),
        ("'a' in words", 1, MAX),
        ("words.all(w, w == 'a')", 2, MAX),
    ],
)
def test_operators_and_loops_cost_by_what_they_go_through(expression: str, least: int, most: int) -> None:
    assert cost_of(expression) == (least, most)


@pytest.mark.parametrize(
    ("expression", "least", "most"),
    [
        ("'Twenty-one characters'.lowerAscii()", 3, 3),
        ("'Twenty-one characters'.upperAscii() == 'twenty-one characters'.upperAscii()", 7, 9),
        ("strings.quote('Twenty-one characters') == strings.quote('Twenty-one characters')", 7, 11),
        ("'fifteen letters'.replace('let', 'bat')", 3, 3),
        ("'fifteen letters'.split(' ', 1)", 3, 3),
        ("'fifteen letters'.substring(5)", 2, 2),
        ("'fifteen letters'.find('let')", 2, 2),
        ("jsonpatch.escapeKey('nineteen/characters')", 2, 2),
        ("authorizer.path('/healthz')", 2, 2),
        ("authorizer.path('/healthz').check('get').allowed()", 350003, 350003),
        ("authorizer.group('').resource('pods').labelSelector('abcdefghij')", 264, 264),
        ("quantity('12Mi')", 1, 1),
        ("quantity('12Mi').add(quantity('1Mi')).isGreaterThan(quantity('1'))", 5, 5),
        ("quantity('12Mi') == quantity('12Mi')", 3, 3),
        ("ip('192.168.0.1').isLoopback()", 3, 3),
        ("cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))", 5, 8),
        ("cidr('192.168.0.0/24').containsCIDR('192.168.0.0/25')", 7, 11),
        ("semver('1.2.3').major()", 2, 2),
        ("url('https://example.com/').getHost()", 3, 3),
        ("sets.contains([1, 2], [1, 2, 3])", 27, 27),
        ("[1, 2, 3].reverse()", 24, 24),
        ("[3, 2, 1].sort()", 39, 39),
        ("lists.range(10)", 21, 21),
    ],
)
def test_functions_cost_by_the_size_of_what_they_are_given(expression: str, least: int, most: int) -> None:
    assert cost_of(expression) == (least, most)


def test_sizes_of_variables_are_asked_for_by_their_paths() -> None:
    sizes = {("words",): Range(0, 10), ("words", "@items"): Range(0, 20)}
    assert cost_of("words.all(w, w == 'abc')", sizes.get) == (2, 2 + 10 * (2 + 3))
    assert cost_of("words.join('abcde')", sizes.get) == (1, 1 + 25)


def test_what_cannot_be_told_costs_as_much_as_there_is() -> None:
    assert Range(2, MAX).plus(Range(1, 1)) == (3, MAX)
    assert Range(2, MAX).times(exact(2)) == (4, MAX)
    assert exact(MAX).scaled(2.5) == (MAX, MAX)
