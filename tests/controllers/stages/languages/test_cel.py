from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.cel.values import Timestamp, Value
from memkube.controllers.framework.staged_kinds import NODES, PODS, StagedKind
from memkube.controllers.stages.languages.cel import CelExpression, CelFailed, CelLanguage, CelSources

VOLUME: dict[str, Any] = {"metadata": {"name": "v"}, "spec": {"size": 2, "class": "fast"}, "status": {"phase": "Bound"}}
POD: dict[str, Any] = {
    "metadata": {"name": "p", "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"a": ""}},
    "spec": {
        "containers": [{"name": "c", "image": "nginx", "resources": {"requests": {"cpu": "500m"}}}],
        "terminationGracePeriodSeconds": 0,
    },
    "status": {"phase": "Pending"},
}
NODE: dict[str, Any] = {
    "metadata": {"name": "n", "creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {},
    "status": {"allocatable": {"cpu": "4"}, "capacity": {"cpu": "8"}, "nodeInfo": {"machineID": ""}},
}
SOURCES = CelSources(lambda: datetime(2026, 1, 1, 0, 0, 30, tzinfo=UTC), lambda number: number // 4)
JSON, OF_PODS, OF_NODES = (CelLanguage(kind, SOURCES) for kind in (StagedKind("v1", "ConfigMap"), PODS, NODES))


def holds(text: str, language: CelLanguage, document: Any) -> bool:
    return CelExpression(text, language).condition(document)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("self.spec.class == 'fast'", True),
        ("!has(self.metadata.deletionTimestamp)", True),
        ("!(self.status.phase in ['Bound', 'Released'])", False),
        ("self.spec.size > 1 && self.metadata.name.startsWith('v')", True),
    ],
)
def test_conditions_are_evaluated(text: str, result: bool) -> None:
    assert CelExpression(text, JSON).condition(VOLUME) is result


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [("duration('2s')", 2_000_000_000), ("'1m'", 60_000_000_000), ("self.spec.size * 5", 10), ("2.5", 2)],
)
def test_durations_have_several_forms(text: str, nanoseconds: int) -> None:
    assert CelExpression(text, JSON).nanoseconds(VOLUME) == nanoseconds


@pytest.mark.parametrize(
    ("text", "weight"),
    [("self.spec.size", 2), ("2.9", 2), ("true", 1), ("duration('1s')", 10**9), ("1.0 / 0.0", -(2**63))],
)
def test_weights_have_several_forms(text: str, weight: int) -> None:
    assert CelExpression(text, JSON).integer(VOLUME) == weight


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("self.spec.missing == 'x'", "no such key: missing"),
        ("self.spec.size", "the result of the CEL expression is not a boolean"),
    ],
)
def test_what_has_no_result_fails(text: str, message: str) -> None:
    with pytest.raises(CelFailed, match=message):
        CelExpression(text, JSON).condition(VOLUME)


@pytest.mark.parametrize(
    "text", ["Now() == 1", "self.", "other.spec", "1 + 'a'", "quantity('1k')", "SinceSecond(self)", "1.5 > 1"]
)
def test_what_is_not_supported_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="CEL expression") as refusal:
        CelExpression(text, JSON)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "text",
    [
        "self.status.podIP == '' && !has(self.status.podIP)",
        "!has(self.metadata.deletionTimestamp) && self.metadata.deletionTimestamp < self.metadata.creationTimestamp",
        "self.spec.activeDeadlineSeconds == null",
        "has(self.spec.terminationGracePeriodSeconds) && self.spec.terminationGracePeriodSeconds < 1",
        "has(self.metadata.labels) && 'a' in self.metadata.labels && !('b' in self.metadata.labels)",
        "!has(self.spec.hostNetwork) && !self.spec.hostNetwork",
        "self.metadata.ownerReferences.size() == 0",
        "self.spec.containers.exists(c, c.image == 'nginx' && !has(c.resources.limits))",
        "!has(self.spec.securityContext) && has(self.status)",
        "self.metadata.creationTimestamp.getFullYear() == 2026",
    ],
)
def test_a_pod_has_zero_values_where_it_has_no_field(text: str) -> None:
    assert holds(text, OF_PODS, POD)


@pytest.mark.parametrize(
    "text",
    [
        "self.status.allocatable['cpu'] < self.status.capacity['cpu']",
        "self.status.allocatable['cpu'] * 2 == self.status.capacity['cpu']",
        "self.status.capacity['cpu'] / 3 == Quantity('2666m')",
        "self.status.capacity['cpu'] * 0.5 - Quantity('1') == '3'.Quantity()",
        "-Quantity('1') + Quantity('2') == Quantity('1')",
        "self.status.allocatable['memory'] == Quantity('0') && !('memory' in self.status.allocatable)",
        "size(self.status.allocatable) == 1 && self.status.allocatable != self.status.capacity",
        "!has(self.status.nodeInfo)",
    ],
)
def test_resources_of_a_node_are_quantities(text: str) -> None:
    assert holds(text, OF_NODES, NODE)


def test_quantities_in_other_objects_are_texts() -> None:
    assert holds("Quantity(self.spec.size) > Quantity('1500m')", JSON, {"spec": {"size": "2"}})


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("SinceSecond(self)", 30.0),
        ("self.SinceSecond() * 2.0", 60.0),
        ("UnixSecond(self.metadata.creationTimestamp)", 1767225600.0),
        ("Now().UnixSecond() - UnixSecond(self.metadata.creationTimestamp)", 30.0),
        ("Rand()", 0.25),
        ("Now()", Timestamp(1767225630 * 10**9)),
    ],
)
def test_kwok_adds_functions_for_times_and_random_numbers(text: str, result: Value) -> None:
    assert CelExpression(text, OF_PODS).value(POD) == result


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("self.status.conditions.exists(c, c.type == 'Ready')", "unexpected failed resolution of 'v1.PodCondition'"),
        ("self.kind == 'Pod'", "undefined field 'kind'"),
        ("self.spec.nodeNames == 'a'", "undefined field 'nodeNames'"),
        ("self.spec.overhead.cpu", "unexpected failed resolution of 'cel.ResourceList'"),
        ("!(Quantity('1') < Quantity('2'))", r"found no matching overload for '!_' applied to '\(int\)'"),
        ("2 * Quantity('1')", "found no matching overload for '_\\*_'"),
    ],
)
def test_what_kwok_cannot_compile_for_pods_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        CelExpression(text, OF_PODS)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("self.metadata.labels['b'] == 'x'", "no such key: b"),
        ("self.spec.activeDeadlineSeconds > 3", "no such overload"),
        ("Quantity('1') / 0 > Quantity('1')", "integer divide by zero"),
        ("self.spec.overhead['cpu'] > 3", "no such overload"),
        ("Quantity('x') > Quantity('1')", "quantities must match the regular expression"),
    ],
)
def test_some_values_of_a_pod_cannot_be_used(text: str, why: str) -> None:
    with pytest.raises(CelFailed, match=why):
        holds(text, OF_PODS, POD)
