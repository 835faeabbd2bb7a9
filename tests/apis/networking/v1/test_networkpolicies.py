from typing import Any

import pytest

from memkube.apis.networking.v1.networkpolicies.columns import PRINTER
from memkube.apis.networking.v1.networkpolicies.strategy import NetworkPolicyStrategy
from memkube.apis.networking.v1.networkpolicies.types import NetworkPolicy
from memkube.apis.networking.v1.networkpolicies.validation import (
    validate_network_policy,
    validate_network_policy_update,
)


def _policy(**spec: Any) -> NetworkPolicy:
    metadata = {"name": "a", "namespace": "default", "resourceVersion": "1"}
    return NetworkPolicy.from_document({"metadata": metadata, "spec": {"podSelector": {}, **spec}})


def _from_block(cidr: str, *except_: str) -> NetworkPolicy:
    return _policy(ingress=[{"from": [{"ipBlock": {"cidr": cidr, "except": list(except_)}}]}])


def _defaulted(**spec: Any) -> NetworkPolicy:
    policy = _policy(**spec)
    NetworkPolicyStrategy().default(policy)
    return policy


@pytest.mark.parametrize(
    ("spec", "types"),
    [
        ({}, ["Ingress"]),
        ({"egress": [{}]}, ["Ingress", "Egress"]),
        ({"egress": []}, ["Ingress"]),
        ({"policyTypes": ["Egress"]}, ["Egress"]),
    ],
)
def test_directions_follow_from_the_rules(spec: dict[str, Any], types: list[str]) -> None:
    assert _defaulted(**spec).spec.policyTypes == types


def test_ports_are_of_tcp() -> None:
    policy = _defaulted(ingress=[{"ports": [{"port": 80}]}], egress=[{"ports": [{"port": 53, "protocol": "UDP"}]}])
    assert policy.spec.ingress[0].ports[0].protocol == "TCP"
    assert policy.spec.egress[0].ports[0].protocol == "UDP"


@pytest.mark.parametrize(
    ("port", "errors"),
    [
        ({"port": 80, "endPort": 70}, ["endPort: Invalid value: 80: must be greater than or equal to `port`"]),
        (
            {"port": "http", "endPort": 90},
            ["endPort: Invalid value: 90: may not be specified when `port` is non-numeric"],
        ),
        ({"endPort": 90}, ["endPort: Invalid value: 90: may not be specified when `port` is not specified"]),
        ({"port": 0}, ["port: Invalid value: 0: must be between 1 and 65535, inclusive"]),
        ({"protocol": "ICMP"}, ['protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"']),
    ],
)
def test_an_invalid_port_is_refused(port: dict[str, Any], errors: list[str]) -> None:
    found = validate_network_policy(_policy(egress=[{"ports": [port]}]))
    assert [str(error) for error in found] == [f"spec.egress[0].ports[0].{error}" for error in errors]


@pytest.mark.parametrize(
    ("cidr", "part", "right"),
    [
        ("10.0.0.0/8", "10.1.0.0/16", True),
        ("10.0.0.0/8", "10.0.0.0/8", False),
        ("10.0.0.0/8", "11.0.0.0/16", False),
        ("10.0.0.0/8", "2001:db8::/64", False),
        ("2001:db8::/32", "2001:db8:1::/48", True),
    ],
)
def test_what_is_left_out_is_a_part_of_the_block(cidr: str, part: str, right: bool) -> None:
    why = "must be a strict subset of `cidr`"
    assert [error.detail for error in validate_network_policy(_from_block(cidr, part))] == ([] if right else [why])


def test_a_peer_is_told_one_way() -> None:
    both = {"podSelector": {}, "ipBlock": {"cidr": "10.0.0.0/8"}}
    [empty, mixed] = validate_network_policy(_policy(ingress=[{"from": [{}, both]}]))
    assert str(empty) == "spec.ingress[0].from[0]: Required value: must specify a peer"
    assert str(mixed) == "spec.ingress[0].from[1]: Forbidden: may not specify both ipBlock and another peer"


def test_there_are_two_directions() -> None:
    [error] = validate_network_policy(_policy(policyTypes=["Ingress", "Egress", "Ingress"]))
    assert str(error).endswith('["Ingress","Egress","Ingress"]: may not specify more than two policyTypes')


def test_a_block_that_was_there_may_move_within_the_policy() -> None:
    old, new = _from_block("10.0.0.1/8"), _policy(egress=[{"to": [{"ipBlock": {"cidr": "10.0.0.1/8"}}]}])
    assert validate_network_policy_update(new, old) == []
    assert len(validate_network_policy(new)) == 1


def test_values_that_no_label_has_may_stay_if_the_pod_selector_had_one() -> None:
    wrong = {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-"]}]}
    assert validate_network_policy_update(_policy(podSelector=wrong), _policy(podSelector=wrong)) == []
    assert len(validate_network_policy_update(_policy(podSelector=wrong), _policy())) == 1


def test_blocks_in_unusual_forms_earn_a_warning() -> None:
    policy = _from_block("2001:DB8::/32", "2001:0db8:1::/48")
    paths = [text.partition(": ")[0] for text in NetworkPolicyStrategy().warnings_on_create(policy)]
    block = "spec.ingress[0].from[0].ipBlock"
    assert paths == [f"{block}.cidr", f"{block}.except[0]"]


@pytest.mark.parametrize(("spec", "generation"), [({}, 1), ({"egress": []}, 2), ({"egress": [{}]}, 2)])
def test_a_list_that_is_written_and_empty_is_a_change(spec: dict[str, Any], generation: int) -> None:
    old, new = _policy(), _policy(**spec)
    old.metadata.generation = new.metadata.generation = 1
    NetworkPolicyStrategy().prepare_for_update(new, old)
    assert new.metadata.generation == generation


def test_a_row_tells_the_pods() -> None:
    document = _policy(podSelector={"matchLabels": {"app": "web"}}).to_document()
    assert PRINTER.row(document).cells[1] == "app=web"
    assert PRINTER.row(_policy().to_document()).cells[1] == "<none>"
