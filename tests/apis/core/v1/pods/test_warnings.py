from typing import Any

import pytest

from memkube.apis.core.v1.pods.strategy_rules import pod_status_warnings, pod_warnings
from tests.apis.core.v1.pods.examples import container, pod


def test_a_plain_pod_earns_no_warning() -> None:
    assert pod_warnings(pod()) == []


def test_a_name_that_is_no_hostname_earns_a_warning() -> None:
    assert pod_warnings(pod(metadata={"name": "a.b"})) == [
        (
            "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; "
            "a DNS label is recommended: [must not contain dots]"
        )
    ]


@pytest.mark.parametrize(
    ("spec", "warning"),
    [
        (
            {"nodeSelector": {"beta.kubernetes.io/os": "linux"}},
            'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
        ),
        (
            {"imagePullSecrets": [{"name": "a"}, {"name": "a"}]},
            'spec.imagePullSecrets[1].name: duplicate name "a"',
        ),
        (
            {"hostAliases": [{"ip": "1.2.3.4"}, {"ip": "1.2.3.4"}]},
            'spec.hostAliases[1].ip: duplicate ip "1.2.3.4"',
        ),
        (
            {"volumes": [{"name": "v", "gitRepo": {"repository": "r"}}]},
            "spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
        ),
        (
            {"volumes": [{"name": "v", "configMap": {"name": "c", "items": [
                {"key": "a", "path": "p/"}, {"key": "b", "path": "p/q"}]}}]},
            'volume "v" (ConfigMap "c"): overlapping paths: "p/q" with "p"',
        ),
        (
            {"volumes": [{"name": "v", "projected": {"sources": [{}]}}]},
            'volume "v" (Projected) has no sources provided',
        ),
        (
            {"containers": [container(resources={"requests": {"memory": "100m"}})]},
            ('spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, '
            "must be an integer"),
        ),
        (
            {"containers": [container(env=[{"name": "X", "value": "1"}, {"name": "X", "value": "2"}])]},
            'spec.containers[0].env[1]: hides previous definition of "X", which may be dropped when using apply',
        ),
        (
            {"containers": [container(ports=[{"containerPort": 80}, {"containerPort": 80, "hostPort": 8080}])]},
            "spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]",
        ),
        (
            {"containers": [container(ports=[{"containerPort": 80, "hostIP": "1.2.3.4"}])]},
            ("spec.containers[0].ports[0]: hostIP set without hostPort: "
            "{Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.2.3.4}"),
        ),
        (
            {"topologySpreadConstraints": [{"topologyKey": "zone"}]},
            "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
        ),
        (
            {"dnsConfig": {"nameservers": ["2001:DB8::1"]}},
            ('spec.dnsConfig.nameservers[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format '
            '("2001:db8::1")'),
        ),
    ],
)  # fmt: skip
def test_what_is_accepted_for_now_earns_a_warning(spec: dict[str, Any], warning: str) -> None:
    assert pod_warnings(pod(**spec)) == [warning]


def test_a_variable_that_extends_an_earlier_one_earns_none() -> None:
    variables = [{"name": "X", "value": "1"}, {"name": "X", "value": "$(X)2"}]
    assert pod_warnings(pod(containers=[container(env=variables)])) == []


def test_unusual_addresses_in_a_status_earn_warnings() -> None:
    made = pod(status={"podIPs": [{"ip": "010.0.0.1"}]})
    assert pod_status_warnings(made) == [
        'status.podIPs[0].ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"'
    ]
