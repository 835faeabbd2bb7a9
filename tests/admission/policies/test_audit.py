"""What admission policies record in a request's context, from which the request log is written."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.configmaps.types import ConfigMap
from memkube.registry.declarations.request_options import WriteContext
from tests.controllers.cluster import Cluster, running

pytestmark = pytest.mark.anyio
RULE = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}
V1 = "admissionregistration.k8s.io/v1"


async def _told(cluster: Cluster, spec: dict[str, Any], actions: list[str]) -> dict[str, str]:
    constraints = {"resourceRules": [RULE], "namespaceSelector": {}, "objectSelector": {}, "matchPolicy": "Exact"}
    policy: Document = {"apiVersion": V1, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p"}}
    await cluster.create({**policy, "spec": {"matchConstraints": constraints, "failurePolicy": "Fail", **spec}})
    binding = {"policyName": "p", "validationActions": actions}
    kind = {"apiVersion": V1, "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "b"}}
    await cluster.create({**kind, "spec": binding})
    context = WriteContext(namespace="default")
    await cluster.store("configmaps").create(ConfigMap.from_document({"metadata": {"name": "one"}}), context)
    return context.audit_annotations


async def test_a_failure_that_is_only_noted_says_which_expression_failed() -> None:
    async with running() as cluster:
        spec = {"validations": [{"expression": "true"}, {"expression": "false", "message": "a < b"}]}
        told = await _told(cluster, spec, ["Audit"])
    failure = '[{"message":"a \\u003c b","policy":"p","binding":"b","expressionIndex":1,"validationActions":["Audit"]}]'
    assert told == {"validation.policy.admission.k8s.io/validation_failure": failure}


@pytest.mark.parametrize(("value", "told"), [("' x '", {"p/key": "x"}), ("null", {}), ("'  '", {})])
async def test_annotations_are_noted_unless_they_say_nothing(value: str, told: dict[str, str]) -> None:
    async with running() as cluster:
        spec = {"auditAnnotations": [{"key": "key", "valueExpression": value}]}
        assert await _told(cluster, spec, ["Deny"]) == told
