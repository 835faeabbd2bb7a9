from typing import Any

import pytest

from memkube.apis.apps.v1.statefulsets.validation import validate_stateful_set, validate_stateful_set_update
from tests.apis.apps.v1.workloads import TEMPLATE, workload

CLAIM = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}


def test_a_claim_template_is_a_claim() -> None:
    claim = workload("StatefulSet", volumeClaimTemplates=[CLAIM]).spec.volumeClaimTemplates[0]
    assert (claim.kind, claim.status.phase, claim.spec.volumeMode) == ("PersistentVolumeClaim", "Pending", "Filesystem")


def test_the_template_may_mount_the_claims() -> None:
    mounting = {**TEMPLATE["spec"]["containers"][0], "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    template = {**TEMPLATE, "spec": {"containers": [mounting]}}
    assert validate_stateful_set(workload("StatefulSet", template=template, volumeClaimTemplates=[CLAIM])) == []
    errors = validate_stateful_set(workload("StatefulSet", template=template))
    assert [error.field for error in errors] == ["spec.template.spec.containers[0].volumeMounts[0].name"]


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ({"podManagementPolicy": "Odd"}, "podManagementPolicy"),
        ({"updateStrategy": {"type": "OnDelete", "rollingUpdate": {}}}, "updateStrategy.rollingUpdate"),
        ({"updateStrategy": {"rollingUpdate": {"partition": -1}}}, "updateStrategy.rollingUpdate.partition"),
        ({"serviceName": "Not_OK"}, "serviceName"),
        ({"ordinals": {"start": -1}}, "ordinals.start"),
        (
            {"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Odd"}},
            "persistentVolumeClaimRetentionPolicy.whenScaled",
        ),
        ({"volumeClaimTemplates": [{"metadata": {"name": "a"}}]}, "volumeClaimTemplates[0].spec.accessModes"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(spec: dict[str, Any], error: str) -> None:
    assert f"spec.{error}" in [each.field for each in validate_stateful_set(workload("StatefulSet", **spec))]


def test_a_policy_with_special_characters_is_shown_as_json() -> None:
    (error,) = validate_stateful_set(workload("StatefulSet", podManagementPolicy="<none>"))
    assert error.body == "Invalid value: \"\\u003cnone\\u003e\": must be 'OrderedReady' or 'Parallel'"


def test_most_of_the_spec_stays() -> None:
    old = workload("StatefulSet")
    assert validate_stateful_set_update(workload("StatefulSet", replicas=3, minReadySeconds=1), old) == []
    (error,) = validate_stateful_set_update(workload("StatefulSet", serviceName="other"), old)
    assert str(error).startswith("spec: Forbidden: updates to statefulset spec for fields other than 'replicas', ")


def test_an_update_need_not_set_right_what_was_accepted() -> None:
    old = workload("StatefulSet", template={**TEMPLATE, "spec": {"containers": []}})
    new = workload("StatefulSet", template={**TEMPLATE, "spec": {"containers": []}}, replicas=2)
    assert validate_stateful_set_update(new, old) == []


@pytest.mark.parametrize(
    ("strategy", "shown"),
    [
        ({"type": "OnDelete", "rollingUpdate": {}}, '{"Partition":0,"MaxUnavailable":null}'),
        ({"type": "Odd", "rollingUpdate": {}}, '{"Type":"Odd","RollingUpdate":{"Partition":0,"MaxUnavailable":null}}'),
        ({"type": "Odd"}, '{"Type":"Odd","RollingUpdate":null}'),
    ],
)
def test_messages_show_a_partition_that_nobody_gave_as_zero(strategy: dict[str, Any], shown: str) -> None:
    (error,) = validate_stateful_set(workload("StatefulSet", updateStrategy=strategy))
    assert shown in str(error)
