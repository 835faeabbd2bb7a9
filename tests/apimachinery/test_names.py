from collections.abc import Callable

import pytest

from memkube.apimachinery import names


@pytest.mark.parametrize("value", ["a", "a1", "1a", "a--b", "a" * 63])
def test_labels_of_domain_names_are_recognised(value: str) -> None:
    assert names.is_dns1123_label(value) == []


def test_a_domain_name_is_no_label_because_of_its_dots() -> None:
    assert names.is_dns1123_label("a.b") == ["must not contain dots"]


def test_a_label_with_capitals_is_told_the_rule() -> None:
    assert names.is_dns1123_label("A") == [
        (
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
            "and must start and end with an alphanumeric character "
            "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
        )
    ]


@pytest.mark.parametrize(
    ("rule", "limit"),
    [
        (names.is_dns1123_label, 63),
        (names.is_dns1035_label, 63),
        (names.is_dns1123_subdomain, 253),
        (names.is_dns1123_subdomain_with_underscore, 253),
        (names.is_config_map_key, 253),
    ],
)
def test_names_have_a_longest_length(rule: Callable[[str], list[str]], limit: int) -> None:
    assert rule("a" * limit) == []
    assert rule("a" * (limit + 1)) == [f"must be no more than {limit} characters"]


@pytest.mark.parametrize("value", ["a", "A.b_c-d", "example.com/a", "a" * 63, f"{'a' * 253}/{'b' * 63}"])
def test_label_keys_are_recognised(value: str) -> None:
    assert names.is_qualified_name(value) == []


@pytest.mark.parametrize(
    ("value", "beginnings"),
    [
        ("", ["name part must be non-empty", "name part must consist of"]),
        ("a b", ["name part must consist of"]),
        ("a" * 64, ["name part must be no more than 63 bytes"]),
        ("/a", ["prefix part must be non-empty"]),
        ("A/a", ["prefix part a lowercase RFC 1123 subdomain"]),
        (f"{'a' * 254}/a", ["prefix part must be no more than 253 bytes"]),
        ("a/b/c", ["a valid label key must consist of"]),
    ],
)
def test_each_part_of_a_label_key_has_its_rules(value: str, beginnings: list[str]) -> None:
    errors = names.is_qualified_name(value)
    assert len(errors) == len(beginnings)
    assert all(error.startswith(beginning) for error, beginning in zip(errors, beginnings, strict=True))


@pytest.mark.parametrize(("value", "count"), [("", 0), ("a_b.c", 0), ("-a", 1), ("a" * 64, 1), ("-" * 64, 2), ("é", 1)])
def test_label_values_are_short_and_may_be_empty(value: str, count: int) -> None:
    assert len(names.is_label_value(value)) == count


@pytest.mark.parametrize(
    ("value", "error"),
    [(".", "must not be '.'"), ("..", "must not be '..'"), ("..data", "must not start with '..'")],
)
def test_config_map_keys_do_not_leave_their_volume(value: str, error: str) -> None:
    assert names.is_config_map_key(value) == [error]


@pytest.mark.parametrize(("value", "count"), [("A", 0), ("1-a.b c", 0), ("", 1), ("a=b", 1), ("é", 1), ("a\n", 1)])
def test_env_var_names_are_printable_ascii(value: str, count: int) -> None:
    assert len(names.is_env_var_name(value)) == count


@pytest.mark.parametrize(
    ("value", "count"), [("http", 0), ("80", 1), ("a--b", 1), ("-a", 1), ("Http", 1), ("", 2), ("a" * 16, 1)]
)
def test_port_names_follow_rfc_6335(value: str, count: int) -> None:
    assert len(names.is_port_name(value)) == count


@pytest.mark.parametrize(
    ("rule", "right", "wrong"),
    [
        (names.is_percent, "50%", "50"),
        (names.is_http_header_name, "X-A", "X A"),
        (names.is_c_identifier, "a_1", "1a"),
        (names.is_path_segment_name, "Web_1", "a/b"),
        (names.is_path_segment_name, "...", ".."),
    ],
)
def test_other_names_have_their_rules(rule: Callable[[str], list[str]], right: str, wrong: str) -> None:
    assert rule(right) == []
    assert len(rule(wrong)) == 1


@pytest.mark.parametrize(("value", "is_right"), [(0, False), (1, True), (65535, True), (65536, False)])
def test_ports_are_between_1_and_65535(value: int, is_right: bool) -> None:
    assert names.is_port_number(value) == ([] if is_right else ["must be between 1 and 65535, inclusive"])


def test_a_prefix_of_a_name_may_end_with_a_dash() -> None:
    assert names.subdomain_name("web-", True) == []
    assert len(names.subdomain_name("web-", False)) == 1


@pytest.mark.parametrize(
    ("key", "problems"),
    [
        ("node.kubernetes.io/not-ready", 0),
        (f"{'a.' * 126}a/{'b' * 63}", 0),
        (f"{'a.' * 126}aa/b", 1),
        (f"a/{'b' * 64}", 1),
        ("a./b", 1),
        ("/b", 1),
        ("a/", 2),
        ("a/b/c", 1),
    ],
)
def test_a_key_may_have_a_domain_before_its_name(key: str, problems: int) -> None:
    assert len(names.is_qualified_name(key)) == problems


@pytest.mark.parametrize(
    ("value", "problems"), [("", 0), ("a" * 63, 0), ("a" * 64, 1), ("a.", 1), ("ä", 1), ("a\n", 1)]
)
def test_label_values_are_short_and_end_as_they_begin(value: str, problems: int) -> None:
    assert len(names.is_label_value(value)) == problems
