from typing import Any

import pytest

from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.pods.validation import validate_pod_status_update
from tests.apis.core.v1.pods.examples import container, pod

ENDED = {"name": "app", "state": {"terminated": {"exitCode": 1}}}
RUNNING = {"name": "app", "state": {"running": {}}}


def errors_of(new: Pod, old: Pod) -> list[str]:
    return [str(error) for error in validate_pod_status_update(new, old)]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ({"observedGeneration": -1}, "status.observedGeneration: Invalid value: -1: must be a non-negative integer"),
        ({"qosClass": "Burstable"}, 'status.qosClass: Invalid value: "Burstable": field is immutable'),
        ({"conditions": [{"type": "a b"}]}, 'status.conditions[0].Type: Invalid value: "a b": name part must'),
        ({"nominatedNodeName": "A"}, 'status.nominatedNodeName: Invalid value: "A": a lowercase RFC 1123 subdomain'),
        ({"podIPs": [{"ip": "x"}]}, 'status.podIPs[0]: Invalid value: "x": must be a valid IP address'),
        (
            {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}]},
            'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP',
        ),
        ({"hostIPs": [{"ip": "10.0.0.1"}]}, 'status.hostIPs[0].ip: Invalid value: "10.0.0.1": must be equal to'),
        (
            {"resourceClaimStatuses": [{"name": "c"}]},
            'status.resourceClaimStatuses[0].name: Invalid value: "c": must match the name of an entry',
        ),
        (
            {"containerStatuses": [{**RUNNING, "user": {"linux": {"uid": -1, "gid": 0}}}]},
            "status.containerStatuses[0].user.linux.uid: Invalid value: -1: must be between 0 and",
        ),
        (
            {"extendedResourceClaimStatus": {"resourceClaimName": "c"}},
            "status.extendedResourceClaimStatus.requestMappings: Required value: at least one request mapping",
        ),
    ],
)
def test_a_status_that_cannot_be_is_refused(status: dict[str, Any], error: str) -> None:
    errors = errors_of(pod(status=status), pod())
    assert len(errors) == 1
    assert errors[0].startswith(error)


@pytest.mark.parametrize(
    ("spec", "may"),
    [
        ({"restartPolicy": "Always"}, True),
        ({"restartPolicy": "OnFailure"}, True),
        ({"restartPolicy": "Never"}, False),
        ({"restartPolicy": "Never", "containers": [container(restartPolicy="OnFailure")]}, True),
        ({"containers": [container(restartPolicy="Never")]}, False),
        (
            {"containers": [container(restartPolicy="Never", restartPolicyRules=[
                {"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}])]},
            True,
        ),
    ],
)  # fmt: skip
def test_a_container_that_ended_starts_again_only_if_its_pod_lets_it(spec: dict[str, Any], may: bool) -> None:
    old, new = (pod(status={"containerStatuses": [state]}, **spec) for state in (ENDED, RUNNING))
    expected = "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"
    assert errors_of(new, old) == ([] if may else [expected])


def test_a_bound_pod_is_not_nominated() -> None:
    old, new = pod(nodeName="n"), pod(nodeName="n", status={"nominatedNodeName": "m"})
    assert errors_of(new, old) == [
        "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node"
    ]
