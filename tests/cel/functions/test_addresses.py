"""Functions of IP addresses and CIDR blocks, with the results of Kubernetes' own tests."""

import pytest

from memkube.cel.values import Value
from tests.cel.functions.evaluating import error_of, value_of

_NETWORK = "network address parse error during conversion from string: "


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("string(ip('2001:DB8::0001'))", "2001:db8::1"),
        ("ip('1.2.3.4').family() + ip('::1').family()", 10),
        ("ip.isCanonical('::1') && !ip.isCanonical('0::1')", True),
        ("isIP('1.2.3.4') && !isIP('01.2.3.4') && !isIP('fe80::1%eth0') && !isIP('::ffff:1.2.3.4')", True),
        ("ip('0.0.0.0').isUnspecified() && ip('::').isUnspecified()", True),
        ("ip('127.1.2.3').isLoopback() && ip('::1').isLoopback()", True),
        ("ip('224.0.0.9').isLinkLocalMulticast() && !ip('224.0.1.9').isLinkLocalMulticast()", True),
        ("ip('ff12::1').isLinkLocalMulticast() && !ip('ff05::1').isLinkLocalMulticast()", True),
        ("ip('169.254.1.1').isLinkLocalUnicast() && ip('fe80::1').isLinkLocalUnicast()", True),
        ("ip('10.0.0.1').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast()", True),
        ("ip('::1') == ip('0::1') && ip('::1') != ip('::2')", True),
        ("string(cidr('10.1.2.3/8'))", "10.1.2.3/8"),
        ("string(cidr('10.1.2.3/8').masked()) + string(cidr('10.1.2.3/8').ip())", "10.0.0.0/810.1.2.3"),
        ("cidr('::/64').prefixLength()", 64),
        ("isCIDR('::/128') && !isCIDR('1.2.3.4/33') && !isCIDR('1.2.3.4')", True),
        ("cidr('10.1.2.3/8').containsIP('10.9.9.9') && !cidr('10.0.0.0/8').containsIP(ip('::1'))", True),
        ("cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR('10.0.0.0/8')", True),
        ("cidr('10.0.0.1/8') != cidr('10.0.0.0/8')", True),
    ],
)
def test_an_address_comes_to(expression: str, value: Value) -> None:
    assert value_of(expression) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", 'ParseAddr(""): unable to parse IP'),
        ("1.2.3", 'ParseAddr("1.2.3"): IPv4 address too short'),
        ("1.2.3.4.5", 'ParseAddr("1.2.3.4.5"): IPv4 address too long'),
        ("1.2.3.256", 'ParseAddr("1.2.3.256"): IPv4 field has value >255'),
        ("01.2.3.4", 'ParseAddr("01.2.3.4"): IPv4 field has octet with leading zero'),
        ("1..2.3", 'ParseAddr("1..2.3"): IPv4 field must have at least one digit (at ".2.3")'),
        ("1.2.3.x", 'ParseAddr("1.2.3.x"): unexpected character (at "x")'),
        ("%eth0", 'ParseAddr("%eth0"): missing IPv6 address'),
        ("::1%", 'ParseAddr("::1%"): zone must be a non-empty string'),
        ("12345::", 'ParseAddr("12345::"): each group must have 4 or less digits (at "12345::")'),
        ("1:", 'ParseAddr("1:"): colon must be followed by more characters (at ":")'),
        ("1:2", 'ParseAddr("1:2"): address string too short'),
        ("1::2::3", 'ParseAddr("1::2::3"): multiple :: in address (at ":3")'),
        ("1:2:3:4:5:6:7:8:9", 'ParseAddr("1:2:3:4:5:6:7:8:9"): trailing garbage after address (at "9")'),
        ("::g", 'ParseAddr("::g"): each colon-separated field must have at least one digit (at "g")'),
        ("1g::", 'ParseAddr("1g::"): unexpected character, want colon (at "g::")'),
        (
            "1:2:3:4:5:6:7::8",
            'ParseAddr("1:2:3:4:5:6:7::8"): the :: must expand to at least one field of zeros',
        ),
        (
            "1:1.2.3.4",
            (
                'ParseAddr("1:1.2.3.4"): embedded IPv4 address must replace the final 2 fields of the address '
                '(at "1.2.3.4")'
            ),
        ),
    ],
)
def test_what_is_no_address_is_told(text: str, why: str) -> None:
    assert error_of("ip(x)", {"x": text}) == f'IP Address "{text}" parse error during conversion from string: {why}'


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("ip('fe80::1%eth0')", 'IP address "fe80::1%eth0" with zone value is not allowed'),
        ("ip('::ffff:1.2.3.4')", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'),
        ("cidr('1.2.3.4')", f"{_NETWORK}{_NETWORK}netip.ParsePrefix(\"1.2.3.4\"): no '/'"),
        ("cidr('1.2.3.4/033')", f'{_NETWORK}{_NETWORK}netip.ParsePrefix("1.2.3.4/033"): bad bits after slash: "033"'),
        ("cidr('1.2.3.4/33')", f'{_NETWORK}{_NETWORK}netip.ParsePrefix("1.2.3.4/33"): prefix length out of range'),
        (
            "cidr('fe80::1%a/8')",
            f'{_NETWORK}{_NETWORK}netip.ParsePrefix("fe80::1%a/8"): IPv6 zones cannot be present in a prefix',
        ),
        ("cidr('::ffff:1.2.3.4/96')", f'{_NETWORK}IPv4-mapped IPv6 address "::ffff:1.2.3.4/96" is not allowed'),
        ("cidr('10.0.0.0/8').containsIP('x')", "no such overload"),
        ("cidr('10.0.0.0/8').containsCIDR('x')", f"{_NETWORK}{_NETWORK}netip.ParsePrefix(\"x\"): no '/'"),
        ("ip('::1') == dyn(1)", "no such overload"),
        ("cidr('::/1') == dyn(null) || dyn(cidr('::/1')) == dyn('::/1')", "no such overload"),
    ],
)
def test_an_address_has_no_value(expression: str, error: str) -> None:
    assert error_of(expression) == error
