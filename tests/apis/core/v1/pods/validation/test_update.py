from typing import Any

import pytest

from memkube.apis.core.v1.pods.validation import validate_pod_ephemeral_containers_update, validate_pod_update
from tests.apis.core.v1.pods.examples import container, created_pod

GATES = [{"name": "a.b/c"}]


def errors_of(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    before, after = created_pod(**old), created_pod(**new)
    return [str(error).partition("\n")[0] for error in validate_pod_update(after, before)]


def node_terms(*expressions: str) -> dict[str, Any]:
    found = [{"key": key, "operator": "Exists"} for key in expressions]
    terms = {"nodeSelectorTerms": [{"matchExpressions": found}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {"containers": [container(image="nginx:1.28")]}),
        ({}, {"activeDeadlineSeconds": 5}),
        ({"activeDeadlineSeconds": 5}, {"activeDeadlineSeconds": 4}),
        ({}, {"tolerations": [{"key": "a", "operator": "Exists"}]}),
        ({"schedulingGates": GATES}, {}),
        ({"schedulingGates": GATES}, {"schedulingGates": GATES, "nodeSelector": {"a": "b"}}),
        ({"schedulingGates": GATES}, {"schedulingGates": GATES, "affinity": node_terms("a")}),
        (
            {"schedulingGates": GATES, "affinity": node_terms("a")},
            {"schedulingGates": GATES, "affinity": node_terms("a", "b")},
        ),
    ],
)
def test_an_update_may_change_these_fields(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert errors_of(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (
            {},
            {"containers": [container(), container(name="b")]},
            "spec.containers: Forbidden: pod updates may not add or remove containers",
        ),
        (
            {"activeDeadlineSeconds": 5},
            {"activeDeadlineSeconds": 6},
            "spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value",
        ),
        (
            {"activeDeadlineSeconds": 5},
            {},
            "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
        ),
        (
            {"schedulingGates": GATES},
            {"schedulingGates": [*GATES, {"name": "a.b/d"}]},
            "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'a.b/d'",
        ),
        (
            {"schedulingGates": GATES, "nodeSelector": {"a": "b"}},
            {"schedulingGates": GATES, "nodeSelector": {"a": "c"}},
            (
                'spec.nodeSelector: Invalid value: {"a":"c"}: '
                "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
            ),
        ),
        (
            {"schedulingGates": GATES, "affinity": node_terms("a")},
            {"schedulingGates": GATES, "affinity": node_terms("b")},
            (
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: "
                'Invalid value: {"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],'
                '"MatchFields":null}: '
                "only additions are allowed (no mutations or deletions)"
            ),
        ),
        (
            {},
            {"nodeName": "elsewhere"},
            (
                "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
                "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
                "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
                "previously negative)"
            ),
        ),
    ],
)
def test_everything_else_stays(old: dict[str, Any], new: dict[str, Any], error: str) -> None:
    assert errors_of(old, new) == [error]


def test_a_toleration_may_change_its_seconds_only() -> None:
    old = {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}
    assert errors_of({"tolerations": [old]}, {"tolerations": [{**old, "tolerationSeconds": 6}]}) == []
    assert errors_of({"tolerations": [old]}, {"tolerations": [{**old, "key": "b"}]}) == [
        "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"
    ]


def mirror(value: str | None) -> dict[str, Any]:
    annotations = {} if value is None else {"kubernetes.io/config.mirror": value}
    return {"nodeName": "n", "metadata": {"annotations": annotations}}


@pytest.mark.parametrize(("before", "change"), [(None, "add"), ("1", "remove or update")])
def test_the_mirror_annotation_stays(before: str | None, change: str) -> None:
    assert errors_of(mirror(before), mirror("2")) == [
        f"metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not {change} mirror pod annotation"
    ]


DEBUG = container(name="debug")
CHANGED_IMAGE = """\
@@ -1,6 +1,6 @@
 {
  "Name": "debug",
- "Image": "nginx:1.27",
+ "Image": "nginx:2",
  "Command": null,
  "Args": null,
  "WorkingDir": "",
"""


def errors_of_debugging(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[str]:
    before, after = created_pod(ephemeralContainers=old), created_pod(ephemeralContainers=new)
    return [str(error) for error in validate_pod_ephemeral_containers_update(after, before)]


def test_containers_may_be_added() -> None:
    assert errors_of_debugging([], [DEBUG]) == []


def test_containers_stay_as_they_are() -> None:
    path = "spec.ephemeralContainers: Forbidden: existing ephemeral containers"
    assert errors_of_debugging([DEBUG], []) == [f'{path} "debug" may not be removed\n']
    changed = errors_of_debugging([DEBUG], [{**DEBUG, "image": "nginx:2"}])
    assert changed == [f'{path} "debug" may not be changed\n{CHANGED_IMAGE}']


def test_what_a_service_needs_is_refused() -> None:
    serving = {**DEBUG, "ports": [{"containerPort": 80}], "livenessProbe": {}, "targetContainerName": "none"}
    assert errors_of_debugging([], [serving]) == [
        'spec.ephemeralContainers[0].targetContainerName: Not found: "none"',
        "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container",
        "spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container",
    ]
