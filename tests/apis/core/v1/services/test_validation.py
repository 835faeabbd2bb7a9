from typing import Any

import pytest

from memkube.apis.core.v1.services.strategy import ServiceStatusStrategy, ServiceStrategy, default_service
from memkube.apis.core.v1.services.types import Service
from memkube.apis.core.v1.services.validation import (
    validate_service,
    validate_service_status_update,
    validate_service_update,
)


def service(metadata: dict[str, Any] | None = None, **spec: Any) -> Service:
    """Return a Service with defaults and a cluster IP."""
    named = {"name": "web", "namespace": "default", "resourceVersion": "1", **(metadata or {})}
    address = {
        "clusterIP": "10.0.0.9",
        "clusterIPs": ["10.0.0.9"],
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
    }
    fields = {"ports": [{"port": 80}], **({} if spec.get("type") == "ExternalName" else address), **spec}
    made = Service.from_document({"metadata": named, "spec": fields})
    default_service(made)
    return made


def errors_of(made: Service) -> list[str]:
    return [str(error) for error in validate_service(made)]


def test_the_helper_makes_a_right_service() -> None:
    assert errors_of(service()) == []


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        (
            {"ports": [{"name": "a", "port": 80}, {"name": "a", "port": 81}]},
            'spec.ports[1].name: Duplicate value: "a"',
        ),
        (
            {"ports": [{"name": "a", "port": 80}, {"name": "b", "port": 80}]},
            (
                'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,'
                '"TargetPort":0,"NodePort":0}'
            ),
        ),
        (
            {"type": "NodePort", "ports": [{"name": n, "port": p, "nodePort": 30001} for n, p in (("a", 1), ("b", 2))]},
            "spec.ports[1].nodePort: Duplicate value: 30001",
        ),
        (
            {"ports": [{"port": 80, "protocol": "ICMP"}]},
            'spec.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
        ),
        (
            {"ports": [{"port": 80, "targetPort": "a--b"}]},
            'spec.ports[0].targetPort: Invalid value: "a--b": must not contain consecutive hyphens',
        ),
        (
            {"trafficDistribution": "PreferFar"},
            (
                'spec.trafficDistribution: Unsupported value: "PreferFar": supported values: "PreferClose", '
                '"PreferSameZone", "PreferSameNode"'
            ),
        ),
        (
            {"externalTrafficPolicy": "Local"},
            'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
        ),
        (
            {"healthCheckNodePort": 30001},
            (
                "spec.healthCheckNodePort: Invalid value: 30001: may only be set when `type` is 'LoadBalancer' and "
                "`externalTrafficPolicy` is 'Local'"
            ),
        ),
        (
            {"loadBalancerClass": "a/b"},
            "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
        ),
        (
            {"allocateLoadBalancerNodePorts": True},
            "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
        ),
        (
            {"clusterIP": "10.0.0.9", "ipFamilies": ["IPv6"]},
            'spec.clusterIPs[0]: Invalid value: "10.0.0.9": expected an IPv6 value as indicated by `ipFamilies[0]`',
        ),
        (
            {"type": "ExternalName", "externalName": "a.example.com", "ipFamilyPolicy": "SingleStack"},
            "spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services",
        ),
    ],
)
def test_a_service_that_breaks_a_rule_is_told_which(spec: dict[str, Any], error: str) -> None:
    assert errors_of(service(**spec)) == [error]


def test_annotations_about_topology_must_not_contradict_each_other() -> None:
    prefix = "service.kubernetes.io/topology-"
    made = service({"annotations": {f"{prefix}aware-hints": "Auto", f"{prefix}mode": "Disabled"}})
    assert errors_of(made) == [
        (
            f'metadata.annotations[{prefix}mode]: Invalid value: "Disabled": '
            f"must match annotations[{prefix}aware-hints] when both are specified"
        )
    ]


def test_blocks_of_addresses_may_have_blanks_around_them() -> None:
    assert errors_of(service(type="LoadBalancer", loadBalancerSourceRanges=[" 192.0.2.0/24 "])) == []


def test_a_name_may_begin_with_a_digit_but_is_one_label() -> None:
    assert errors_of(service({"name": "1a"})) == []
    assert "must not contain dots" in errors_of(service({"name": "a.b"}))[0]


def test_an_external_name_may_end_with_a_dot() -> None:
    assert errors_of(service(type="ExternalName", externalName="a.example.com.", ports=[])) == []


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        (
            {},
            {"clusterIP": "10.0.0.8", "clusterIPs": ["10.0.0.8"]},
            'spec.clusterIPs[0]: Invalid value: ["10.0.0.8"]: may not change once set',
        ),
        (
            {},
            {"clusterIP": "None", "clusterIPs": ["None"]},
            'spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set',
        ),
        (
            {"type": "LoadBalancer", "loadBalancerClass": "a/b"},
            {"type": "LoadBalancer"},
            "spec.loadBalancerClass: Invalid value: null: may not change once set",
        ),
    ],
)
def test_what_was_allocated_stays(before: dict[str, Any], after: dict[str, Any], error: str) -> None:
    errors = validate_service_update(service(**after), service(**before))
    assert [str(found) for found in errors] == [error]


def test_an_address_that_was_admitted_once_may_stay() -> None:
    odd = service(externalIPs=["192.0.2.01"])
    assert validate_service_update(odd, odd) == []
    assert errors_of(odd) == ['spec.externalIPs[0]: Invalid value: "192.0.2.01": must not have leading 0s']


def test_only_load_balancers_have_points_where_traffic_enters() -> None:
    made = service()
    made.status = made.status.from_document({"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}})
    (error,) = validate_service_status_update(made, service())
    assert str(error) == "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"


@pytest.mark.parametrize(
    ("spec", "warning"),
    [
        (
            {"type": "ExternalName", "externalName": "a.b", "externalIPs": ["192.0.2.1"]},
            'spec.externalIPs is ignored when spec.type is "ExternalName"',
        ),
        (
            {"type": "LoadBalancer", "loadBalancerIP": "2001:DB8::1"},
            'spec.loadBalancerIP: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
        ),
        (
            {"type": "LoadBalancer", "loadBalancerSourceRanges": ["192.0.2.1/24"]},
            (
                'spec.loadBalancerSourceRanges[0]: CIDR value "192.0.2.1/24" is ambiguous in this context '
                '(should be "192.0.2.0/24" or "192.0.2.1/32"?)'
            ),
        ),
    ],
)
def test_what_is_odd_earns_a_warning(spec: dict[str, Any], warning: str) -> None:
    assert ServiceStrategy().warnings_on_create(service(**spec)) == [warning]


def test_the_old_annotation_about_hints_earns_a_warning() -> None:
    made = service({"annotations": {"service.kubernetes.io/topology-aware-hints": "Auto"}})
    (warning,) = ServiceStrategy().warnings_on_update(made, made)
    assert warning.endswith("is deprecated, please use service.kubernetes.io/topology-mode instead")


def test_a_status_warns_of_its_own_addresses_alone() -> None:
    made = service(externalIPs=["192.0.2.1"])
    made.status = made.status.from_document({"loadBalancer": {"ingress": [{"ip": "2001:DB8::1"}, {"hostname": "a.b"}]}})
    (warning,) = ServiceStatusStrategy().warnings_on_update(made, made)
    assert warning.startswith("status.loadBalancer.ingress[0]: IPv6 address")


def test_an_external_name_shows_no_traffic_policy() -> None:
    made = service(type="ExternalName", externalName="a.example.com", internalTrafficPolicy="Local")
    ServiceStrategy().canonicalize(made)
    assert "internalTrafficPolicy" not in made.to_document()["spec"]


def test_a_load_balancer_that_becomes_something_else_leaves_nothing_behind() -> None:
    old = service(
        type="LoadBalancer", loadBalancerClass="a/b", externalTrafficPolicy="Local", healthCheckNodePort=30003
    )
    old.status = old.status.from_document({"loadBalancer": {"ingress": [{"ip": "192.0.2.1", "ipMode": "VIP"}]}})
    new = Service.from_document(old.to_document())
    new.spec.type = "ClusterIP"
    ServiceStrategy().prepare_for_update(new, old)
    assert validate_service_update(new, old) == []
    assert (new.status.loadBalancer.ingress, len(old.status.loadBalancer.ingress)) == ([], 1)
