from typing import Any

import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.resource.v1.resourceclaims.defaults import default_claim
from memkube.apis.resource.v1.resourceclaims.types import ResourceClaimSpec
from memkube.apis.resource.v1.resourceclaims.validation import validate_spec

EXACTLY = {"deviceClassName": "c", "allocationMode": "ExactCount", "count": 1}
BOTH = [
    {"name": "one", "exactly": EXACTLY},
    {"name": "any", "firstAvailable": [{"name": "big", **EXACTLY}, {"name": "small", **EXACTLY}]},
]
NO_REQUEST = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"


def errors_of(**devices: Any) -> list[str]:
    spec = ResourceClaimSpec.from_document({"devices": {"requests": BOTH, **devices}})
    errors = (str(error) for error in validate_spec(spec, FieldPath("spec")))
    return [error.removeprefix("spec.devices.") for error in errors]


@pytest.mark.parametrize("name", ["one", "any", "any/big"])
def test_requests_and_subrequests_can_be_named(name: str) -> None:
    assert errors_of(constraints=[{"requests": [name], "matchAttribute": "example.com/x"}]) == []


@pytest.mark.parametrize("name", ["two", "any/tiny", "one/big", "any/big/x"])
def test_what_is_not_requested_cannot_be_named(name: str) -> None:
    config = {"requests": [name], "opaque": {"driver": "d", "parameters": {}}}
    assert errors_of(config=[config]) == [f'config[0].requests[0]: Invalid value: "{name}": {NO_REQUEST}']


@pytest.mark.parametrize(
    ("constraint", "errors"),
    [
        ({"distinctAttribute": "example.com/x"}, []),
        (
            {"distinctAttribute": "x"},
            [
                (
                    'constraints[0].distinctAttribute: Invalid value: "x": '
                    "a fully qualified name must be a domain and a name separated by a slash"
                )
            ],
        ),
        # As in Kubernetes, only the first of the two attributes is validated.
        ({"matchAttribute": "example.com/x", "distinctAttribute": "x"}, []),
    ],
    ids=range(3),
)
def test_a_constraint_is_about_an_attribute_of_a_domain(constraint: dict[str, Any], errors: list[str]) -> None:
    assert errors_of(constraints=[constraint]) == errors


def test_a_request_is_of_one_sort_or_of_several() -> None:
    both = {"name": "a", "exactly": EXACTLY, "firstAvailable": [{"name": "b", **EXACTLY}]}
    one = "exactly one of `exactly` or `firstAvailable` is required"
    assert errors_of(requests=[{"name": "x"}, both]) == [
        f"requests[0]: Required value: {one}",
        f"requests[1]: Invalid value: null: {one}, but multiple fields are set",
    ]


def test_too_many_of_something_are_not_looked_at_one_by_one() -> None:
    assert errors_of(requests=[{}] * 33) == ["requests: Too many: 33: must have at most 32 items"]
    choices = [{"name": "x", "firstAvailable": [{}] * 9}]
    assert errors_of(requests=choices) == ["requests[0].firstAvailable: Too many: 9: must have at most 8 items"]


def test_one_device_is_the_default() -> None:
    requests = [
        {"name": "a", "exactly": {"deviceClassName": "c", "tolerations": [{}]}},
        {"name": "b", "firstAvailable": [{"name": "x", "deviceClassName": "c", "allocationMode": "All"}]},
    ]
    spec = ResourceClaimSpec.from_document({"devices": {"requests": requests}})
    default_claim(spec.devices)
    one, several = spec.devices.requests
    assert one.exactly is not None
    assert (one.exactly.allocationMode, one.exactly.count) == ("ExactCount", 1)
    assert one.exactly.tolerations[0].operator == "Equal"
    assert (several.firstAvailable[0].allocationMode, several.firstAvailable[0].count) == ("All", 0)
