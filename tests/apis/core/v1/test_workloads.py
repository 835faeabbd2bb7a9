from typing import Any

import pytest

from memkube.apis.apps.v1.deployments.validation import validate_deployment, validate_deployment_update
from memkube.apis.apps.v1.replicasets.strategy import validate_replica_set, validate_replica_set_update
from memkube.apis.apps.v1.statefulsets.validation import validate_stateful_set
from tests.apis.apps.v1.workloads import TEMPLATE, workload

KINDS = [
    ("ReplicaSet", validate_replica_set),
    ("Deployment", validate_deployment),
    ("StatefulSet", validate_stateful_set),
]


@pytest.mark.parametrize(("kind", "validate"), KINDS)
def test_what_a_client_leaves_out_is_filled_in(kind: str, validate: Any) -> None:
    obj = workload(kind)
    assert (obj.spec.replicas, obj.spec.template.spec.restartPolicy) == (1, "Always")
    assert validate(obj) == []


@pytest.mark.parametrize(("kind", "validate"), KINDS)
def test_the_selector_selects_the_template(kind: str, validate: Any) -> None:
    errors = validate(workload(kind, selector={"matchLabels": {"app": "other"}}))
    why = 'Invalid value: {"app":"web"}: `selector` does not match template `labels`'
    assert [str(error) for error in errors] == [f"spec.template.metadata.labels: {why}"]


@pytest.mark.parametrize(("metadata", "shown"), [({}, "null"), ({"labels": {}}, "{}")])
@pytest.mark.parametrize(("kind", "validate"), KINDS[:2])
def test_labels_that_are_not_there_are_shown_as_given(
    kind: str, validate: Any, metadata: dict[str, Any], shown: str
) -> None:
    errors = validate(workload(kind, template={**TEMPLATE, "metadata": metadata}))
    assert f"Invalid value: {shown}: `selector` does not match" in str(errors[0])


@pytest.mark.parametrize(("kind", "validate"), KINDS)
def test_pods_run_for_ever(kind: str, validate: Any) -> None:
    spec = {**TEMPLATE["spec"], "restartPolicy": "Never", "activeDeadlineSeconds": 1}
    errors = validate(workload(kind, template={**TEMPLATE, "spec": spec}))
    assert [error.field for error in errors] == [
        "spec.template.spec.restartPolicy",
        "spec.template.spec.activeDeadlineSeconds",
    ]


@pytest.mark.parametrize(
    ("kind", "validate"), [("ReplicaSet", validate_replica_set_update), ("Deployment", validate_deployment_update)]
)
def test_the_selector_is_immutable(kind: str, validate: Any) -> None:
    template = {**TEMPLATE, "metadata": {"labels": {"app": "web", "tier": "a"}}}
    old, new = workload(kind), workload(kind, selector={"matchLabels": {"tier": "a"}}, template=template)
    assert [error.field for error in validate(new, old)] == ["spec.selector"]
