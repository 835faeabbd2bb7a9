from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.flowcontrol.v1.objects import mandatory_levels
from memkube.apis.flowcontrol.v1.prioritylevelconfigurations.columns import PRINTER
from memkube.apis.flowcontrol.v1.prioritylevelconfigurations.strategy import (
    PriorityLevelConfigurationStrategy,
    default_level,
)
from memkube.apis.flowcontrol.v1.prioritylevelconfigurations.types import (
    PriorityLevelConfiguration,
    PriorityLevelConfigurationSpec,
)
from memkube.apis.flowcontrol.v1.prioritylevelconfigurations.validation import validate_spec

LIMITED = {"nominalConcurrencyShares": 1, "limitResponse": {"type": "Reject"}}


def level(spec: dict[str, Any], **metadata: Any) -> PriorityLevelConfiguration:
    return PriorityLevelConfiguration.from_document({"metadata": {"name": "a", **metadata}, "spec": spec})


def limited_errors(**fields: Any) -> list[str]:
    spec = PriorityLevelConfigurationSpec.from_document({"type": "Limited", "limited": {**LIMITED, **fields}})
    return [str(error).removeprefix("spec.limited.") for error in validate_spec("a", spec, FieldPath("spec"))]


def queue_errors(**fields: Any) -> list[str]:
    queuing = {"queues": 64, "handSize": 8, "queueLengthLimit": 50, **fields}
    errors = limited_errors(limitResponse={"type": "Queue", "queuing": queuing})
    return [error.removeprefix("limitResponse.queuing.") for error in errors]


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({}, []),
        ({"queueLengthLimit": -1}, ["queueLengthLimit: Invalid value: -1: must be positive"]),
        (
            {"queues": -1},
            [
                "queues: Invalid value: -1: must be positive",
                "handSize: Invalid value: 8: should not be greater than queues (-1)",
            ],
        ),
        (
            {"queues": 10_000_001, "handSize": 1},
            ["queues: Invalid value: 10000001: must not be greater than 10000000"],
        ),
        ({"handSize": -1}, ["handSize: Invalid value: -1: must be positive"]),
        ({"handSize": 65}, ["handSize: Invalid value: 65: should not be greater than queues (64)"]),
        ({"handSize": 10}, []),
        (
            {"handSize": 11},
            [
                (
                    "handSize: Invalid value: 11: required entropy bits of deckSize 64 and handSize 11 "
                    "should not be greater than 60"
                )
            ],
        ),
    ],
)
def test_a_hand_can_be_dealt_from_the_queues(fields: dict[str, Any], errors: list[str]) -> None:
    assert queue_errors(**fields) == errors


@pytest.mark.parametrize("percent", [-1, 101])
def test_a_level_lends_at_most_all_that_it_has(percent: int) -> None:
    assert limited_errors(lendablePercent=percent) == [
        f"lendablePercent: Invalid value: {percent}: must be between 0 and 100, inclusive"
    ]


def test_a_level_may_borrow_more_than_it_has() -> None:
    assert limited_errors(borrowingLimitPercent=200) == []


def test_only_exempt_is_without_limits() -> None:
    exempt = PriorityLevelConfigurationSpec.from_document({"type": "Exempt", "exempt": {}, "limited": LIMITED})
    assert [str(error) for error in validate_spec("exempt", exempt, FieldPath("spec"))] == [
        "spec.limited: Forbidden: must be nil if the type is not Limited"
    ]
    (error, _) = validate_spec("other", exempt, FieldPath("spec"))
    assert str(error) == "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"


def test_defaults_fill_what_is_missing() -> None:
    queued = level({"type": "Limited", "limited": {"limitResponse": {"type": "Queue", "queuing": {"queues": 3}}}})
    exempt = level({"type": "Exempt", "exempt": {}})
    for each in (queued, exempt):
        default_level(each)
    assert queued.spec.to_document()["limited"] == {
        "nominalConcurrencyShares": 30,
        "limitResponse": {"type": "Queue", "queuing": {"queues": 3, "handSize": 8, "queueLengthLimit": 50}},
        "lendablePercent": 0,
    }
    assert exempt.spec.to_document()["exempt"] == {"nominalConcurrencyShares": 0, "lendablePercent": 0}


def test_no_shares_at_all_are_not_taken_for_a_default() -> None:
    none = level({"type": "Limited", "limited": {**LIMITED, "nominalConcurrencyShares": 0}})
    default_level(none)
    assert none.spec.limited is not None
    assert none.spec.limited.nominalConcurrencyShares == 0


def test_an_annotation_of_another_version_is_refused() -> None:
    key = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
    errors = PriorityLevelConfigurationStrategy().validate(
        level({"type": "Limited", "limited": LIMITED}, annotations={key: ""})
    )
    assert [str(error) for error in errors] == [f"metadata.annotations: Forbidden: annotation '{key}' is forbidden"]


@pytest.mark.parametrize(("name", "accepted"), [("exempt", True), ("catch-all", False)])
def test_shares_of_mandatory_levels_are_fixed_but_for_exempt(name: str, accepted: bool) -> None:
    spec = dict(mandatory_levels()[name])
    part = "exempt" if name == "exempt" else "limited"
    changed = level({**spec, part: {**spec[part], "nominalConcurrencyShares": 7}}, name=name)
    assert (PriorityLevelConfigurationStrategy().validate(changed) == []) is accepted


@pytest.mark.parametrize(
    ("spec", "cells"),
    [
        ({"type": "Exempt"}, ["Exempt", "<none>", "<none>", "<none>", "<none>"]),
        ({"type": "Limited", "limited": LIMITED}, ["Limited", 1, "<none>", "<none>", "<none>"]),
    ],
)
def test_what_a_level_does_not_have_is_shown_as_none(spec: dict[str, Any], cells: list[Any]) -> None:
    document = {"metadata": {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"}, "spec": spec}
    assert PRINTER.row(document).at(datetime(2026, 1, 1, tzinfo=UTC)) == ["a", *cells, "0s"]
