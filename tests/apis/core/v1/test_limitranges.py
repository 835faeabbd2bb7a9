from typing import Any
from uuid import UUID

import httpx
import pytest

from memkube.apis.core.v1.limitranges.types import LimitRange
from memkube.apis.core.v1.limitranges.validation import default_limit_range, validate_limit_range


def limit_range(**item: Any) -> LimitRange:
    """Return a LimitRange with defaults and one item, which is of type Container by default."""
    document = {"metadata": {"name": "a", "namespace": "b"}, "spec": {"limits": [{"type": "Container", **item}]}}
    made = LimitRange.from_document(document)
    default_limit_range(made)
    return made


def test_containers_get_limits_from_the_most_and_requests_from_limits_and_the_least() -> None:
    (item,) = limit_range(max={"cpu": "2"}, min={"cpu": "1", "memory": "1Ki"}, default={"storage": "1"}).spec.limits
    assert item.default == {"cpu": "2", "storage": "1"}
    assert item.defaultRequest == {"cpu": "2", "memory": "1Ki", "storage": "1"}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"max": {"cpu": "2"}, "min": {"cpu": "1"}}, []),
        ({"type": "odd"}, ["must be a standard limit type or fully qualified"]),
        ({"type": "Pod", "default": {"cpu": "1"}}, ["may not be specified when `type` is 'Pod'"]),
        ({"max": {"storage": "1"}}, ["must be a standard resource for containers"] * 3),
        (
            {"type": "PersistentVolumeClaim", "max": {"cpu": "1"}},
            ["either minimum or maximum storage value is required, but neither was provided"],
        ),
        ({"maxLimitRequestRatio": {"cpu": "500m"}}, ["ratio 500m is less than 1"]),
        (
            {"maxLimitRequestRatio": {"cpu": "3"}, "max": {"cpu": "1"}, "min": {"cpu": "400m"}},
            ["ratio 3 is greater than max/min = 2.500000"],
        ),
        ({"type": "Pod", "maxLimitRequestRatio": {"cpu": "3"}, "max": {"cpu": "1"}, "min": {"cpu": "0"}}, []),
        (
            {"default": {"example.com/gpu": "2"}, "defaultRequest": {"example.com/gpu": "1"}},
            ["default value 2 must equal to defaultRequest value 1 in example.com/gpu"],
        ),
    ],
)
def test_bounds_make_sense_together(item: dict[str, Any], expected: list[str]) -> None:
    assert [error.detail for error in validate_limit_range(limit_range(**item))] == expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"min": {"cpu": "3"}, "max": {"cpu": "2"}}, "min[cpu]: min value 3 is greater than max value 2"),
        (
            {"type": "example.com/x", "min": {"cpu": "3"}, "defaultRequest": {"cpu": "2"}},
            "defaultRequest[cpu]: min value 3 is greater than default request value 2",
        ),
        (
            {"type": "example.com/x", "max": {"cpu": "1"}, "default": {"cpu": "2"}},
            "default[cpu]: default value 2 is greater than max value 1",
        ),
    ],
)
def test_no_bound_is_above_the_next(item: dict[str, Any], expected: str) -> None:
    error = validate_limit_range(limit_range(**item))[0]
    assert f"{error.field.removeprefix('spec.limits[0].')}: {error.detail}" == expected


def test_one_sort_of_thing_is_bounded_once() -> None:
    twice = limit_range()
    twice.spec.limits *= 2
    assert [error.type for error in validate_limit_range(twice)] == ["FieldValueDuplicate"]


def test_one_without_a_name_gets_one(client: httpx.Client, namespace: str) -> None:
    created = client.post(f"/api/v1/namespaces/{namespace}/limitranges", json={"spec": {"limits": []}})
    assert UUID(created.json()["metadata"]["name"]).version == 4


def test_limits_that_nobody_gave_are_read_back(client: httpx.Client, namespace: str) -> None:
    ranges = f"/api/v1/namespaces/{namespace}/limitranges"
    created = client.post(ranges, json={"metadata": {"name": "a"}}).json()
    assert created["spec"] == {"limits": None}
    assert client.put(f"{ranges}/a", json=created).json()["spec"] == {"limits": None}
