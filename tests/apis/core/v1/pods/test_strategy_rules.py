from typing import Any

import pytest

from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.strategy_rules import (
    pod_status_warnings,
    pod_warnings,
    prepare_ephemeral_containers_update,
    prepare_new_pod,
    prepare_pod_resize,
    prepare_pod_status_update,
    prepare_pod_update,
)
from tests.apis.core.v1.pods.examples import NOW, container, created_pod, pod

APPARMOR = "container.apparmor.security.beta.kubernetes.io/app"


def test_a_new_pod_is_pending_whatever_the_client_says() -> None:
    made = pod(status={"phase": "Running", "message": "hello"})
    prepare_new_pod(made, NOW)
    assert made.status.to_document() == {"phase": "Pending", "qosClass": "BestEffort"}
    assert made.metadata.generation == 1


def test_the_class_of_service_is_believed() -> None:
    made = pod(status={"qosClass": "Guaranteed"})
    prepare_new_pod(made, NOW)
    assert made.status.qosClass == "Guaranteed"


def test_a_gated_pod_says_why_it_is_not_scheduled() -> None:
    made = created_pod(schedulingGates=[{"name": "a.b/c"}])
    condition = made.status.conditions[0]
    assert (condition.type, condition.status, condition.reason) == ("PodScheduled", "False", "SchedulingGated")
    assert condition.lastTransitionTime == NOW


def test_selectors_take_values_from_the_pods_labels() -> None:
    term = {"topologyKey": "zone", "labelSelector": {}, "matchLabelKeys": ["app", "missing"]}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    made = created_pod(metadata={"labels": {"app": "web"}}, affinity=affinity)
    assert made.spec.affinity is not None
    assert made.spec.affinity.podAffinity is not None
    selector = made.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector
    assert selector is not None
    assert [item.to_document() for item in selector.matchExpressions] == [
        {"key": "app", "operator": "In", "values": ["web"]}
    ]


def test_an_apparmor_annotation_becomes_a_field_with_a_warning() -> None:
    made = pod(metadata={"annotations": {APPARMOR: "localhost/strict"}})
    warnings = prepare_new_pod(made, NOW)
    context = made.spec.containers[0].securityContext
    assert context is not None
    assert context.to_document() == {"appArmorProfile": {"type": "Localhost", "localhostProfile": "strict"}}
    assert warnings == [
        f'metadata.annotations[{APPARMOR}]: deprecated since v1.30; use the "appArmorProfile" field instead'
    ]


def test_fields_of_features_that_are_off_are_dropped() -> None:
    volume = {"name": "v", "projected": {"sources": [{"clusterTrustBundle": {"path": "p"}}]}}
    stopped = container(lifecycle={"stopSignal": "SIGINT"})
    made = created_pod(volumes=[volume], containers=[stopped], schedulingGroup={"podGroupName": "g"})
    assert made.spec.containers[0].lifecycle is None
    assert made.spec.schedulingGroup is None
    assert made.spec.volumes[0].projected is not None
    assert made.spec.volumes[0].projected.sources[0].to_document() == {}


def test_an_update_keeps_the_status_and_counts_a_changed_spec() -> None:
    old = created_pod()
    same, changed = pod(metadata={"generation": 1}), pod(metadata={"generation": 1}, activeDeadlineSeconds=5)
    prepare_pod_update(same, old)
    prepare_pod_update(changed, old)
    assert same.status is old.status
    assert (same.metadata.generation, changed.metadata.generation) == (1, 2)


def test_a_status_update_keeps_spec_owners_and_class() -> None:
    old = created_pod(metadata={"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "u"}]})
    new = pod(nodeName="elsewhere", metadata={"deletionTimestamp": str(NOW)}, status={"phase": "Running"})
    prepare_pod_status_update(new, old)
    assert new.spec is old.spec
    assert new.metadata.ownerReferences == old.metadata.ownerReferences
    assert new.metadata.deletionTimestamp is None
    assert (new.status.phase, new.status.qosClass) == ("Running", "BestEffort")


def test_a_status_update_keeps_observed_generations_that_it_does_not_tell() -> None:
    conditions = [{"type": "a", "status": "True", "observedGeneration": 1}, {"type": "a", "status": "True"}]
    old = pod(status={"observedGeneration": 3, "conditions": conditions})
    new = pod(status={"conditions": [{"type": "a", "status": "False"}, {"type": "b", "status": "True"}]})
    prepare_pod_status_update(new, old)
    assert new.status.observedGeneration == 3
    assert [condition.observedGeneration for condition in new.status.conditions] == [1, 0]


def test_an_update_of_ephemeral_containers_changes_nothing_else() -> None:
    old = created_pod()
    new = pod(nodeName="elsewhere", ephemeralContainers=[container(name="debug")], metadata={"labels": {"a": "b"}})
    prepare_ephemeral_containers_update(new, old)
    assert new.spec.nodeName == ""
    assert new.metadata.labels == {}
    assert [ephemeral.name for ephemeral in new.spec.ephemeralContainers] == ["debug"]
    assert new.metadata.generation == 2


def test_a_resize_changes_nothing_but_resources() -> None:
    old = created_pod()
    new = pod(containers=[container(image="other:1", resources={"requests": {"cpu": "1"}})])
    prepare_pod_resize(new, old)
    assert new.spec.containers[0].image == "nginx:1.27"
    assert new.spec.containers[0].resources.requests == {"cpu": "1"}
    assert new.metadata.generation == 2


def test_a_resize_of_other_containers_is_left_to_validation() -> None:
    old = created_pod()
    new = pod(containers=[container(name="other")])
    prepare_pod_resize(new, old)
    assert new.spec.containers[0].name == "other"


def test_preparing_leaves_the_old_pod_as_it_was() -> None:
    old = created_pod()
    before = old.to_document()
    prepare_pod_resize(pod(containers=[container(resources={"requests": {"cpu": "1"}})]), old)
    prepare_ephemeral_containers_update(pod(ephemeralContainers=[container(name="debug")]), old)
    prepare_pod_status_update(pod(status={"phase": "Running"}), old)
    assert old.to_document() == before


def test_times_are_written_as_they_were_given() -> None:
    later = Time("2026-06-01T00:00:00Z")
    made = pod(schedulingGates=[{"name": "a.b/c"}])
    prepare_new_pod(made, later)
    assert made.status.conditions[0].lastTransitionTime == later


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
