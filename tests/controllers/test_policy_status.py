from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import running

pytestmark = pytest.mark.anyio
RULE: Document = {"operations": ["CREATE"], "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"]}


def policy(*expressions: str, rules: tuple[Document, ...] = (RULE,), **spec: Any) -> Document:
    constraints = {"resourceRules": [*rules], "namespaceSelector": {}, "objectSelector": {}, "matchPolicy": "Exact"}
    validations = [{"expression": expression} for expression in expressions]
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "p"},
        "spec": {"matchConstraints": constraints, "failurePolicy": "Fail", "validations": validations, **spec},
    }


async def _status(document: Document) -> Document:
    async with running("validatingadmissionpolicy-status") as cluster:
        await cluster.create(document)
        stored = await cluster.store("validatingadmissionpolicies").get("", "p")
        status: Document = stored.document["status"]
        return status


async def test_expressions_that_fit_are_checked_in_silence() -> None:
    fitting = "object.spec.replicas > 1 && object.spec.template.spec.containers.all(c, c.name != '')"
    assert await _status(policy(fitting)) == {"observedGeneration": 1, "typeChecking": {}}


async def test_a_field_that_does_not_exist_is_told_for_each_kind() -> None:
    both = {**RULE, "resources": ["deployments", "replicasets"]}
    status = await _status(policy("object.spec.bogus == 1", rules=(both,)))
    drawn = "ERROR: <input>:1:12: undefined field 'bogus'\n | object.spec.bogus == 1\n | ...........^\n"
    warning = f"apps/v1, Kind=Deployment: {drawn}\napps/v1, Kind=ReplicaSet: {drawn}"
    assert status["typeChecking"]["expressionWarnings"] == [
        {"fieldRef": "spec.validations[0].expression", "warning": warning}
    ]


async def test_variables_and_parameters_have_their_types_too() -> None:
    status = await _status(
        policy(
            "variables.count > params.data.most",
            variables=[{"name": "count", "expression": "object.spec.replicas"}],
            paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
        )
    )
    (warning,) = status["typeChecking"]["expressionWarnings"]
    assert "found no matching overload for '_>_' applied to '(int, string)'" in warning["warning"]


async def test_rules_with_wildcards_are_not_checked() -> None:
    status = await _status(policy("object.bogus == 1", rules=({**RULE, "apiVersions": ["*"]},)))
    assert status["typeChecking"] == {}
