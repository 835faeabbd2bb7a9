from typing import Any

import pytest

from memkube.apis.core.v1.nodes.types import Node
from memkube.apis.core.v1.nodes.validation import validate_node, validate_node_update


def node(**fields: Any) -> Node:
    metadata = {"name": "a", "resourceVersion": "1"} | fields.pop("metadata", {})
    return Node.from_document({"metadata": metadata, **fields})


def messages(**fields: Any) -> list[str]:
    return [str(error) for error in validate_node(node(**fields))]


def changes(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    return [str(error) for error in validate_node_update(node(**new), node(**old))]


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ({"taints": [{"key": "a"}]}, "metadata.taints[0].effect: Required value"),
        (
            {"taints": [{"key": "a", "effect": "Never"}]},
            (
                'metadata.taints[0].effect: Unsupported value: "Never": '
                'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'
            ),
        ),
        (
            {"taints": [{"key": "a", "effect": "NoExecute"}] * 2},
            (
                'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"","Effect":"NoExecute","TimeAdded":null}: '
                "taints must be unique by key and effect pair"
            ),
        ),
        (
            {"podCIDRs": ["10.1.0.0/24", "10.2.0.0/24"]},
            (
                'spec.podCIDRs: Invalid value: ["10.1.0.0/24","10.2.0.0/24"]: '
                "may specify no more than one CIDR for each IP family"
            ),
        ),
    ],
)
def test_what_the_spec_may_not_hold(spec: dict[str, Any], error: str) -> None:
    assert messages(spec=spec) == [error]


def test_one_block_for_each_family_is_right() -> None:
    assert messages(spec={"podCIDRs": ["10.1.0.0/24", "fd00::/64"]}) == []


def test_what_is_no_block_has_no_family() -> None:
    errors = messages(spec={"podCIDRs": ["10.1.0.0/24", "x"]})
    assert errors[1].startswith("spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack")
    assert len(errors) == 3


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ({"capacity": {"cpu": "-1"}}, "status.capacity.cpu: Invalid value"),
        ({"allocatable": {"pods": "1500m"}}, "status.allocatable.pods: Invalid value"),
        (
            {"nodeInfo": {"swap": {"capacity": 0}}},
            "metadata.nodeSwapStatus.capacity: Invalid value: 0: must be greater",
        ),
        ({"declaredFeatures": ["a"]}, 'status.declaredFeatures[0]: Invalid value: "a": invalid feature name "a": must'),
        ({"declaredFeatures": ["B", "A"]}, 'status.declaredFeatures[1]: Invalid value: "A": list must be sorted'),
        ({"declaredFeatures": ["A", "A"]}, 'status.declaredFeatures[1]: Duplicate value: "A"'),
    ],
)
def test_a_status_is_checked_when_it_is_there(status: dict[str, Any], error: str) -> None:
    (found,) = messages(status=status)
    assert found.startswith(error)


def test_identities_stay_once_they_are_set() -> None:
    old = {"spec": {"podCIDRs": ["10.1.0.0/24"], "providerID": "x://1"}}
    assert changes(old, {}) == []
    assert changes({}, old) == [
        'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
        'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ]


def test_an_address_is_there_once() -> None:
    address = {"type": "InternalIP", "address": "10.0.0.1"}
    assert changes({"status": {"addresses": [address, address]}}, {}) == [
        'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"10.0.0.1"}'
    ]


def test_a_configuration_in_the_spec_is_of_no_particular_version() -> None:
    reference = {"namespace": "default", "name": "a", "kubeletConfigKey": "k", "uid": "1"}
    path = "spec.configSource"
    assert changes({"spec": {"configSource": {"configMap": reference}}}, {}) == [
        f"{path}.configMap.uid: Forbidden: uid must not be set in spec"
    ]
    assert changes({"spec": {"configSource": {}}}, {}) == [
        f'{path}: Invalid value: {{"ConfigMap":null}}: exactly one reference subfield must be non-nil'
    ]


def test_a_configuration_in_use_is_of_one_version() -> None:
    reference = {"namespace": "default", "name": "a", "kubeletConfigKey": "k", "uid": "1"}
    assert changes({"status": {"config": {"active": {"configMap": reference}}}}, {}) == [
        "status.config.active.configMap.resourceVersion: Required value"
    ]


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("taints", "[", ": Invalid value"),
        ("taints", '[{"Key":"a"}]', ".scheduler.alpha.kubernetes.io/taints[0].effect: Required value"),
        ("taints", '[{"key":1}]', ": Invalid value"),
        ("preferAvoidPods", "1", ".AvoidPods: Invalid value"),
        (
            "preferAvoidPods",
            '{"preferAvoidPods":[{}]}',
            ".scheduler.alpha.kubernetes.io/preferAvoidPods[0].PodSignature: Required value",
        ),
    ],
)
def test_alpha_annotations_are_read(name: str, text: str, error: str) -> None:
    (found,) = messages(metadata={"annotations": {f"scheduler.alpha.kubernetes.io/{name}": text}})
    assert found.startswith(f"metadata.annotations{error}")
