from typing import Any

import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.authorization.v1.selectors import ignored_selectors, validate_selectors
from memkube.apis.authorization.v1.types import ResourceAttributes

IGNORED = "spec.resourceAttributes.{} ignored due to parse error"
PARTIALLY_IGNORED = "spec.resourceAttributes.{} partially ignored due to parse error"


def attributes(**selectors: Any) -> ResourceAttributes:
    return ResourceAttributes.from_document(selectors)


def errors(**selectors: Any) -> list[str]:
    return [str(error) for error in validate_selectors(attributes(**selectors), FieldPath("spec"))]


@pytest.mark.parametrize("name", ["fieldSelector", "labelSelector"])
def test_a_selector_is_a_text_or_has_parts(name: str) -> None:
    both = {"rawSelector": "a=b", "requirements": [{"key": "a", "operator": "Exists"}]}
    assert errors(**{name: both}) == [
        f'spec.{name}.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements'
    ]
    assert errors(**{name: {}}) == [
        (
            f"spec.{name}.requirements: Required value: when spec.{name} is specified, "
            "requirements or rawSelector is required"
        )
    ]


@pytest.mark.parametrize("name", ["fieldSelector", "labelSelector"])
@pytest.mark.parametrize(
    ("requirement", "error"),
    [
        ({"operator": "In"}, "Required value: must be specified when `operator` is 'In' or 'NotIn'"),
        (
            {"operator": "Exists", "values": ["a"]},
            "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
    ],
)
def test_operators_have_the_values_that_they_need(name: str, requirement: dict[str, Any], error: str) -> None:
    found = errors(**{name: {"requirements": [{"key": "a", **requirement}]}})
    assert found == [f"spec.{name}.requirements[0].values: {error}"]


def test_keys_and_values_are_those_of_fields_and_labels() -> None:
    part = {"key": "", "operator": "In", "values": ["a b"]}
    assert errors(fieldSelector={"requirements": [part]}) == [
        "spec.fieldSelector.requirements[0].key: Required value: must be specified"
    ]
    fields = [error.split(": ")[0] for error in errors(labelSelector={"requirements": [part]})]
    assert fields == [f"spec.labelSelector.requirements[0].{name}" for name in ("key", "key", "values[0]")]


def test_operators_of_newer_clients_pass() -> None:
    part = {"key": "a", "operator": "Near"}
    selector = {"requirements": [part]}
    assert errors(fieldSelector=selector, labelSelector=selector) == []


@pytest.mark.parametrize(
    ("selectors", "said"),
    [
        ({}, ""),
        ({"fieldSelector": {"rawSelector": "a=b"}, "labelSelector": {"rawSelector": "a in (b)"}}, ""),
        ({"fieldSelector": {"rawSelector": "a"}}, IGNORED.format("fieldSelector")),
        ({"labelSelector": {"rawSelector": "a in"}}, IGNORED.format("labelSelector")),
        (
            {"fieldSelector": {"requirements": [{"key": "a", "operator": "Exists"}]}},
            IGNORED.format("fieldSelector"),
        ),
        (
            {"labelSelector": {"requirements": [{"key": "a", "operator": "Exists"}, {"key": "a", "operator": "Near"}]}},
            PARTIALLY_IGNORED.format("labelSelector"),
        ),
    ],
)
def test_what_is_not_understood_is_left_out_and_said(selectors: dict[str, Any], said: str) -> None:
    assert ignored_selectors(attributes(**selectors)) == said


def test_both_selectors_may_be_misunderstood() -> None:
    said = ignored_selectors(attributes(fieldSelector={"rawSelector": "a"}, labelSelector={"rawSelector": "a in"}))
    assert said == "; ".join([IGNORED.format("fieldSelector"), IGNORED.format("labelSelector")])
