from typing import Any

import pytest

from memkube.apis.core.v1.pods.types import Binding
from memkube.apis.core.v1.pods.validation import validate_binding, validate_pod
from memkube.apis.core.v1.references import ObjectReference
from tests.apis.core.v1.pods.examples import container, created_pod


def errors_of(metadata: dict[str, Any] | None = None, **spec: Any) -> list[str]:
    return [str(error) for error in validate_pod(created_pod(metadata=metadata, **spec))]


def test_a_plain_pod_breaks_no_rule() -> None:
    assert errors_of() == []


def test_all_errors_are_told_at_once_in_order() -> None:
    errors = errors_of({"labels": {"a b": "c"}}, restartPolicy="Maybe", containers=[container(name="A", image="")])
    assert [error.partition(":")[0] for error in errors] == [
        "metadata.labels", "spec.containers[0].name", "spec.containers[0].image", "spec.restartPolicy",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ({"containers": []}, "spec.containers: Required value"),
        (
            {"containers": [container(), container()]},
            'spec.containers[1].name: Duplicate value: "app"',
        ),
        (
            {"initContainers": [container()]},
            'spec.initContainers[0].name: Duplicate value: "app"',
        ),
        (
            {"ephemeralContainers": [container(name="debug")]},
            "spec.ephemeralContainers: Forbidden: cannot be set on create",
        ),
        (
            {"containers": [container(image=" nginx")]},
            'spec.containers[0].image: Invalid value: " nginx": must not have leading or trailing whitespace',
        ),
        (
            {"containers": [container(imagePullPolicy="x")]},
            ('spec.containers[0].imagePullPolicy: Unsupported value: "x": '
            'supported values: "Always", "IfNotPresent", "Never"'),
        ),
        (
            {"containers": [container(volumeMounts=[{"name": "v", "mountPath": "/v"}])]},
            'spec.containers[0].volumeMounts[0].name: Not found: "v"',
        ),
        (
            {"containers": [container(resources={"requests": {"cpu": "2"}, "limits": {"cpu": "1"}})]},
            'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
        ),
        (
            {"containers": [container(resources={"requests": {"cpu": "-1"}})]},
            'spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        ),
        (
            {"containers": [container(resources={"requests": {"example.com/gpu": "1"}})]},
            "spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources",
        ),
        (
            {"containers": [container(ports=[{"containerPort": 80 + n, "hostPort": 1} for n in range(2)])]},
            'spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//1"',
        ),
        (
            {"containers": [container(livenessProbe={})]},
            "spec.containers[0].livenessProbe: Required value: must specify a handler type",
        ),
        (
            {"containers": [container(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.x"}}}])]},
            ('spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.x": '
            "error converting fieldPath: field label not supported: spec.x"),
        ),
        (
            {"containers": [container(restartPolicyRules=[{"action": "Restart", "exitCodes": {"operator": "In"}}])]},
            "spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used",
        ),
        (
            {"volumes": [{"name": "v", "secret": {}}]},
            "spec.volumes[0].secret.secretName: Required value",
        ),
        (
            {"volumes": [{"name": "v", "emptyDir": {}, "hostPath": {"path": "/"}}]},
            "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type",
        ),
        (
            {"volumes": [{"name": "v"}, {"name": "v"}]},
            'spec.volumes[1].name: Duplicate value: "v"',
        ),
        (
            {"dnsPolicy": "None"},
            "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
        ),
        (
            {"activeDeadlineSeconds": 0},
            "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
        ),
        (
            {"nodeName": "n", "schedulingGates": [{"name": "a.b/c"}]},
            "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
        ),
        (
            {"tolerations": [{"operator": "Equal"}]},
            ('spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, '
            'which means "match all values and all keys"'),
        ),
        (
            {"hostUsers": False, "hostNetwork": True},
            "spec.hostNetwork: Forbidden: when `hostUsers` is false",
        ),
        (
            {"securityContext": {"sysctls": [{"name": "net.ipv4.x", "value": "1"}]}, "hostNetwork": True},
            ('spec.securityContext.sysctls[0].name: Invalid value: "net.ipv4.x": '
            "may not be specified when 'hostNetwork' is true"),
        ),
        (
            {"securityContext": {"seLinuxChangePolicy": "MountOption"}},
            ('spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": '
            'supported values: "Recursive"'),
        ),
        (
            {"os": {"name": "windows"}, "securityContext": {"fsGroup": 5}},
            "spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod",
        ),
        (
            {"topologySpreadConstraints": [{"maxSkew": 0, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}]},
            "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
        ),
        (
            {"resourceClaims": [{"name": "c"}]},
            ('spec.resourceClaims[0]: Invalid value: {"Name":"c","ResourceClaimName":null,'
            '"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'),
        ),
        (
            {"hostnameOverride": "a", "setHostnameAsFQDN": True},
            "spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true",
        ),
        (
            {"volumes": [{"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}]},
            ("spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: "
            "must not be specified when serviceAccountName is not set"),
        ),
    ],
)  # fmt: skip
def test_a_spec_that_cannot_run_is_refused(spec: dict[str, Any], error: str) -> None:
    assert errors_of(**spec) == [error]


@pytest.mark.parametrize(
    ("annotations", "error"),
    [
        (
            {"kubernetes.io/config.mirror": "x"},
            (
                'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": '
                "must set spec.nodeName if mirror pod annotation is set"
            ),
        ),
        (
            {"controller.kubernetes.io/pod-deletion-cost": "+1"},
            (
                'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": '
                "must be a 32bit integer"
            ),
        ),
        (
            {"seccomp.security.alpha.kubernetes.io/pod": "x"},
            (
                'metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "x": '
                "must be a valid seccomp profile"
            ),
        ),
        (
            {"container.apparmor.security.beta.kubernetes.io/none": "unconfined"},
            (
                "metadata.annotations[container.apparmor.security.beta.kubernetes.io/none]: "
                'Invalid value: "none": container not found'
            ),
        ),
        (
            {"scheduler.alpha.kubernetes.io/tolerations": "{"},
            (
                'metadata.annotations: Invalid value: "scheduler.alpha.kubernetes.io/tolerations": '
                "unexpected end of JSON input"
            ),
        ),
        (
            {"scheduler.alpha.kubernetes.io/tolerations": "{}"},
            (
                'metadata.annotations: Invalid value: "scheduler.alpha.kubernetes.io/tolerations": '
                "json: cannot unmarshal object into Go value of type []core.Toleration"
            ),
        ),
    ],
)
def test_annotations_that_mean_something_have_rules(annotations: dict[str, str], error: str) -> None:
    assert errors_of({"annotations": annotations}) == [error]


def test_field_and_annotation_tell_the_same_seccomp_profile() -> None:
    context = {"seccompProfile": {"type": "RuntimeDefault"}}
    annotations = {"seccomp.security.alpha.kubernetes.io/pod": "unconfined"}
    assert errors_of({"annotations": annotations}, securityContext=context) == [
        "spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match"
    ]


@pytest.mark.parametrize(
    ("target", "errors"),
    [
        (ObjectReference(kind="Node", name="n"), []),
        (ObjectReference(name="n"), []),
        (ObjectReference(), ["target.name: Required value"]),
        (
            ObjectReference(kind="Pod", name="n"),
            ['target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"'],
        ),
    ],
)
def test_the_target_is_a_node_with_a_name(target: ObjectReference, errors: list[str]) -> None:
    assert [str(error) for error in validate_binding(Binding(target=target))] == errors
