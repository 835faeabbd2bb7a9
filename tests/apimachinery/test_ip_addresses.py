import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.ip_addresses import (
    are_dual_stack,
    are_dual_stack_cidrs,
    cidr_warnings,
    ip_warnings,
    validate_cidr,
    validate_ip,
)

PATH = FieldPath("ip")


@pytest.mark.parametrize("text", ["10.0.0.1", "0.0.0.0", "::", "2001:db8::1", "FE80:0:0:0:0:0:0:0abc"])
def test_addresses_are_recognised(text: str) -> None:
    assert validate_ip(PATH, text) == []


@pytest.mark.parametrize("text", ["", "x", "10.0.0", "10.0.0.256", "10.0.0.1/8", "fe80::1%eth0", ":::", "1.2.3.4.5"])
def test_other_text_is_no_address(text: str) -> None:
    assert [error.detail for error in validate_ip(PATH, text)] == [
        "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
    ]


def test_leading_zeros_are_refused() -> None:
    assert [error.detail for error in validate_ip(PATH, "010.0.0.1")] == ["must not have leading 0s"]


def test_an_ipv4_address_in_ipv6_form_is_refused() -> None:
    details = [error.detail for error in validate_ip(PATH, "::ffff:1.2.3.4")]
    assert details == ["must not be an IPv4-mapped IPv6 address"]


def test_a_wrong_address_that_was_there_before_stays() -> None:
    assert validate_ip(PATH, "010.0.0.1", ("010.0.0.1",)) == []


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        ("10.0.0.1", []),
        ("2001:db8::1", []),
        ("010.0.0.1", ['ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"']),
        ("::ffff:1.2.3.4", ['ip: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"']),
        ("2001:DB8::1", ['ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")']),
    ],
)
def test_unusual_forms_earn_a_warning(text: str, warnings: list[str]) -> None:
    assert ip_warnings(PATH, text) == warnings


def test_addresses_of_both_families_are_dual_stack() -> None:
    assert are_dual_stack(["10.0.0.1", "::1"])
    assert not are_dual_stack(["10.0.0.1", "10.0.0.2"])


def test_text_that_is_no_address_is_of_no_family() -> None:
    with pytest.raises(ValueError, match=r"invalid IP\[1\]: x"):
        are_dual_stack(["10.0.0.1", "x"])


BLOCK_PATH = FieldPath("spec.cidr")


@pytest.mark.parametrize("text", ["10.0.0.0/8", "0.0.0.0/0", "fd00::/64", "10.9.8.7/32"])
def test_a_plain_block_is_right(text: str) -> None:
    assert validate_cidr(BLOCK_PATH, text) == []
    assert cidr_warnings(BLOCK_PATH, text) == []


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("10.0.0.0", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
        ("10.0.0.0/33", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
        ("10.0.0.0/+8", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
        ("010.0.0.0/8", "must not have leading 0s in IP or prefix length"),
        ("10.0.0.0/08", "must not have leading 0s in IP or prefix length"),
        ("::ffff:10.0.0.0/104", "must not have an IPv4-mapped IPv6 address"),
        ("10.0.0.1/8", "must not have bits set beyond the prefix length"),
    ],
)
def test_other_forms_are_refused_unless_they_were_there(text: str, detail: str) -> None:
    assert [error.detail for error in validate_cidr(BLOCK_PATH, text)] == [detail]
    assert validate_cidr(BLOCK_PATH, text, kept=(text,)) == []


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            "10.0.0.1/8",
            'CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
        ),
        ("010.0.0.0/08", 'non-standard CIDR value "010.0.0.0/08" is invalid: use "10.0.0.0/8"'),
        ("::ffff:10.0.0.0/104", 'non-standard CIDR value "::ffff:10.0.0.0/104" is invalid: use "10.0.0.0/8"'),
        ("FD00::/64", 'IPv6 CIDR value "FD00::/64" should be in RFC 5952 canonical format ("fd00::/64")'),
    ],
)
def test_unusual_forms_of_blocks_earn_a_warning(text: str, warning: str) -> None:
    assert cidr_warnings(BLOCK_PATH, text) == [f"{BLOCK_PATH}: {warning}"]


def test_blocks_of_both_families_are_dual_stack() -> None:
    assert are_dual_stack_cidrs(["10.0.0.0/8", "fd00::/64"])
    assert not are_dual_stack_cidrs(["10.0.0.0/8", "::ffff:10.0.0.0/104"])


def test_what_is_no_block_has_no_family() -> None:
    with pytest.raises(ValueError, match=r"invalid CIDR\[0\]: <nil> \(invalid CIDR address: x\)"):
        are_dual_stack_cidrs(["x"])
