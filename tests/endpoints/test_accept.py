import pytest

from memkube.apimachinery.errors import ApiError
from memkube.endpoints.requests.bodies import body_media_type
from memkube.endpoints.requests.negotiation import (
    DEFAULT_RESTRICTIONS,
    JSON,
    YAML,
    best_of,
    negotiate,
    negotiate_refusal,
    parse_accept,
)

TABLE = "as=Table;v=v1;g=meta.k8s.io"


@pytest.mark.parametrize(
    ("header", "types"),
    [
        ("application/json;q=0.5,application/yaml", [YAML, JSON]),
        ("*/*,application/yaml", [YAML, "*/*"]),
        ("*/*,application/yaml;q=0.5", [YAML, "*/*"]),
        ("application/*,application/yaml", [YAML, "application/*"]),
        ("application/yaml;q=high,application/json", [JSON, YAML]),
        ("nonsense,*", ["*/*"]),
        ("a/b/c, application/json", [JSON]),
    ],
)
def test_clauses_are_tried_in_the_order_of_the_reference(header: str, types: list[str]) -> None:
    assert [clause.type for clause in parse_accept(header)] == types


def test_a_parameter_without_a_value_is_none() -> None:
    assert parse_accept("application/json;as=;stream;v=v1")[0].parameters == {"v": "v1"}


def test_any_subtype_of_application_is_json_where_another_clause_can_be_had() -> None:
    assert negotiate("application/*,*/*;q=0.1").media_type == JSON


def test_the_text_of_a_connection_is_offered_first() -> None:
    with pytest.raises(ApiError, match="representations: text/plain, application/json, application/yaml"):
        negotiate("text/html", text=("text/plain",))


def test_a_clause_for_another_server_version_is_passed_over() -> None:
    assert negotiate("application/yaml;sv=v2,application/json;sv=v1").media_type == JSON


def test_a_refusal_is_never_written_for_the_clause_of_a_table() -> None:
    assert negotiate_refusal(f"application/yaml;{TABLE},application/json").media_type == JSON


def test_discovery_is_not_shown_as_a_table() -> None:
    with pytest.raises(ApiError) as refused:
        best_of(f"application/json;{TABLE}", DEFAULT_RESTRICTIONS)
    assert refused.value.code == 406


@pytest.mark.parametrize(
    "header",
    [
        "application/json",
        "Application/JSON; charset=utf-8",
        'application/json ; a="b;c" ;',
        "",
    ],
)
def test_parameters_and_case_of_a_content_type_do_not_matter(header: str) -> None:
    assert body_media_type(header) == JSON


@pytest.mark.parametrize(
    "header", ["application/json; charset", "application/json, text/plain", "application/json; a=b; ;", "/json"]
)
def test_a_malformed_content_type_is_an_unknown_one(header: str) -> None:
    with pytest.raises(ApiError) as refused:
        body_media_type(header)
    assert refused.value.code == 415
