from typing import Any

import pytest

from tests.apis.core.v1.pods.examples import container, pod


def test_a_minimal_pod_is_filled_in() -> None:
    document = pod().to_document()["spec"]
    assert document == {
        "containers": [
            {
                "name": "app",
                "image": "nginx:1.27",
                "resources": {},
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
                "imagePullPolicy": "IfNotPresent",
            }
        ],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "enableServiceLinks": True,
    }


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.27", "IfNotPresent"),
        ("localhost:5000/nginx", "Always"),
        ("localhost:5000/nginx:1", "IfNotPresent"),
        (f"nginx@sha256:{'a' * 64}", "IfNotPresent"),
        (f"nginx@sha256:{'a' * 63}", "IfNotPresent"),
        ("Nginx", "IfNotPresent"),
        ("a b", "IfNotPresent"),
        ("a" * 64, "IfNotPresent"),
    ],
)
def test_only_newest_images_are_always_pulled(image: str, policy: str) -> None:
    assert pod(containers=[container(image=image)]).spec.containers[0].imagePullPolicy == policy


def test_a_limit_without_a_request_is_a_request() -> None:
    limited = container(resources={"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}})
    requests = pod(containers=[limited]).spec.containers[0].resources.requests
    assert requests == {"cpu": "500m", "memory": "1Gi"}


def test_quantities_are_rounded_up_to_thousandths() -> None:
    precise = container(resources={"requests": {"cpu": "100u"}})
    assert pod(containers=[precise]).spec.containers[0].resources.requests == {"cpu": "1m"}


def test_in_the_nodes_network_ports_are_the_nodes() -> None:
    made = pod(hostNetwork=True, containers=[container(ports=[{"containerPort": 80}])])
    assert made.spec.containers[0].ports[0].hostPort == 80


def test_requests_of_a_pod_default_to_those_of_its_containers_and_then_to_its_limits() -> None:
    asking = container(resources={"requests": {"cpu": "250m"}})
    made = pod(containers=[asking], resources={"limits": {"cpu": "1", "memory": "1Gi"}})
    assert made.spec.resources is not None
    assert made.spec.resources.requests == {"cpu": "250m", "memory": "1Gi"}


@pytest.mark.parametrize("names", [{"serviceAccount": "a"}, {"serviceAccountName": "a"}])
def test_both_names_of_the_service_account_agree(names: dict[str, Any]) -> None:
    spec = pod(**names).spec
    assert (spec.serviceAccount, spec.serviceAccountName) == ("a", "a")


def test_a_negative_grace_period_is_one_second() -> None:
    assert pod(terminationGracePeriodSeconds=-5).spec.terminationGracePeriodSeconds == 1


def test_the_address_of_a_pod_is_the_first_of_its_addresses() -> None:
    status = pod(status={"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.2"}]}).status
    assert [address.ip for address in status.podIPs] == ["10.0.0.1"]
    assert pod(status={"podIPs": [{"ip": "10.0.0.2"}]}).status.podIP == "10.0.0.2"


@pytest.mark.parametrize(
    ("volume", "expected"),
    [
        ({}, {"emptyDir": {}}),
        ({"secret": {"secretName": "s"}}, {"secret": {"secretName": "s", "defaultMode": 420}}),
        ({"hostPath": {"path": "/x"}}, {"hostPath": {"path": "/x", "type": ""}}),
        ({"image": {"reference": "a"}}, {"image": {"reference": "a", "pullPolicy": "Always"}}),
        (
            {"projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
            {
                "projected": {
                    "sources": [{"serviceAccountToken": {"expirationSeconds": 3600, "path": "t"}}],
                    "defaultMode": 420,
                }
            },
        ),
    ],
)
def test_volumes_are_filled_in(volume: dict[str, Any], expected: dict[str, Any]) -> None:
    made = pod(volumes=[{"name": "v", **volume}])
    assert made.spec.volumes[0].to_document() == {**expected, "name": "v"}


def test_probes_are_filled_in() -> None:
    probed = container(livenessProbe={"httpGet": {"port": 80}}, startupProbe={"grpc": {"port": 80}})
    made = pod(containers=[probed]).spec.containers[0]
    assert made.livenessProbe is not None
    assert made.livenessProbe.to_document() == {
        "httpGet": {"path": "/", "port": 80, "scheme": "HTTP"},
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }
    assert made.startupProbe is not None
    assert made.startupProbe.grpc is not None
    assert made.startupProbe.grpc.service == ""
