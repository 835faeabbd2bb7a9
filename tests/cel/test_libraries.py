"""The declared functions, and the types of their results."""

import pytest

from tests.cel.compiling import errors_of, type_of


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("1 + 2 * 3 - 4 / 5 % 6", "int"),
        ("1 < 2.0 && 2u >= 1 || 1.5 > 1u", "bool"),
        ("'a' + 'b'", "string"),
        ("[1] + [2]", "list(int)"),
        ("timestamp('2020-01-01T00:00:00Z') - duration('1h')", "google.protobuf.Timestamp"),
        ("timestamp('2020-01-01T00:00:00Z') - timestamp('2020-01-01T00:00:00Z')", "google.protobuf.Duration"),
        ("timestamp('2020-01-01T00:00:00Z').getDayOfWeek('Europe/Berlin')", "int"),
        ("duration('1h').getMinutes()", "int"),
        ("size('a') + words.size() + size(counts)", "int"),
        ("'b' in words || 'b' in counts", "bool"),
        ("counts['a'] + counts.b", "int"),
        ("type(n)", "type(int)"),
        ("n == 1 ? 'a' : 'b'", "string"),
        ("dyn(1)", "dyn"),
        ("null", "null_type"),
        ("[]", "list(dyn)"),
        ("{}", "map(dyn, dyn)"),
        ("s.matches('a+') && s.contains('a') && s.startsWith('a') && s.endsWith('a')", "bool"),
        ("int('1') + int(1.5) + int(duration('1s'))", "int"),
        ("string(1) + string(true) + string(b'a')", "string"),
        ("has(object.a.b)", "bool"),
    ],
)
def test_the_language_has_its_own_functions(expression: str, result: str) -> None:
    assert type_of(expression) == result


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("words.all(w, w != '') && words.exists(w, w == 'a')", "bool"),
        ("words.exists_one(w, w == 'a') && words.exists_one(i, w, w == 'a')", "bool"),
        ("words.map(w, size(w))", "list(int)"),
        ("words.map(w, w != '', size(w))", "list(int)"),
        ("words.filter(w, w != '')", "list(string)"),
        ("words.all(i, w, i < 3 && w != '')", "bool"),
        ("counts.exists(k, v, k == 'a' && v == 1)", "bool"),
        ("counts.existsOne(k, v, v == 1)", "bool"),
        ("words.transformList(i, w, i)", "list(int)"),
        ("counts.transformMap(k, v, string(v))", "map(string, string)"),
        ("counts.transformMap(k, v, v > 1, string(v))", "map(string, string)"),
        ("counts.transformMapEntry(k, v, {v: k})", "map(int, string)"),
        ("[3, 1].sortBy(e, -e)", "list(int)"),
    ],
)
def test_loops_are_written_as_macros(expression: str, result: str) -> None:
    assert type_of(expression) == result


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("optional.of(1)", "optional_type(int)"),
        ("optional.none().orValue(1)", "int"),
        ("optional.ofNonZeroValue(s).hasValue()", "bool"),
        ("counts[?'a'].value()", "int"),
        ("words[?0].or(optional.of('a')).value()", "string"),
        ("object.?a.?b", "optional_type(dyn)"),
        ("counts.?a.optMap(c, string(c))", "optional_type(string)"),
        ("counts.?a.optFlatMap(c, words[?c])", "optional_type(string)"),
        ("[?counts.?a]", "list(int)"),
        ("{?'a': counts.?a}", "map(string, int)"),
        ("words.first()", "optional_type(string)"),
        ("words.last()", "optional_type(string)"),
    ],
)
def test_values_may_be_optional(expression: str, result: str) -> None:
    assert type_of(expression) == result


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("s.charAt(0) + s.lowerAscii() + s.upperAscii() + s.trim() + s.substring(1) + s.substring(1, 2)", "string"),
        ("s.indexOf('a') + s.lastIndexOf('a', 1)", "int"),
        ("s.replace('a', 'b').replace('a', 'b', 1)", "string"),
        ("s.split(',')", "list(string)"),
        ("words.join(', ')", "string"),
        ("'%s %d'.format([dyn(s), dyn(n)])", "string"),
        ("strings.quote(s)", "string"),
        ("s.find('a')", "string"),
        ("s.findAll('a', 1)", "list(string)"),
        ("sets.contains([1], [1]) && sets.equivalent([1], [1]) && sets.intersects([1], [1])", "bool"),
        ("words.slice(0, 1).sort().reverse().distinct()", "list(string)"),
        ("[[1], [2]].flatten()", "list(int)"),
        ("lists.range(3)", "list(int)"),
        ("[1, 2].sum() + [1, 2].min() + [1, 2].max() + [1, 2].indexOf(1)", "int"),
        ("words.isSorted()", "bool"),
    ],
)
def test_strings_and_lists_have_functions(expression: str, result: str) -> None:

    assert type_of(expression) == result


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("url('https://a/b?c=d').getQuery()['c'][0]", "string"),
        ("url('https://a').getHostname() + url('https://a').getPort()", "string"),
        ("isURL('a')", "bool"),
        ("ip('10.0.0.1').family()", "int"),
        ("ip('10.0.0.1').isLoopback() || ip.isCanonical('10.0.0.1') || isIP('a')", "bool"),
        ("cidr('10.0.0.0/8').containsIP('10.0.0.1') && cidr('10.0.0.0/8').containsIP(ip('10.0.0.1'))", "bool"),
        ("cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/9')) && isCIDR('a')", "bool"),
        ("string(cidr('10.0.0.0/8').masked().ip())", "string"),
        ("cidr('10.0.0.0/8').prefixLength()", "int"),
        ("type(ip('10.0.0.1')) == net.IP && type(cidr('10.0.0.0/8')) == net.CIDR", "bool"),
        ("quantity('1Gi').add(quantity('1Mi')).sub(1).isGreaterThan(quantity('1k'))", "bool"),
        ("quantity('1').asInteger() + quantity('1').compareTo(quantity('2')) + sign(quantity('1'))", "int"),
        ("quantity('1').asApproximateFloat()", "double"),
        ("isQuantity('1') && quantity('1').isInteger()", "bool"),
        ("semver('1.2.3').major() + semver('v1.2', true).minor() + semver('1.2.3').patch()", "int"),
        ("isSemver('1.2.3') && semver('1.2.3').isLessThan(semver('2.0.0'))", "bool"),
        ("format.dns1123Label().validate(s)", "optional_type(list(string))"),
        ("format.named('uuid').value().validate(s).hasValue()", "bool"),
    ],
)
def test_the_reference_has_functions_of_its_own(expression: str, result: str) -> None:
    assert type_of(expression) == result


@pytest.mark.parametrize(
    "expression",
    [
        "base64.encode(b'a')",
        "math.greatest(1, 2)",
        "cel.bind(a, 1, a)",
        "jsonpatch.escapeKey('a')",
        "s.escape()",
        "words.includes('a')",
        "format.unknown()",
    ],
)
def test_other_libraries_are_not_there(expression: str) -> None:
    assert any("undeclared reference to" in error for error in errors_of(expression))
