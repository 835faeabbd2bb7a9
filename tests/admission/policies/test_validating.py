from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.admission.policies.conftest import Bind

HEAVY = "lists.range(100).all(i, lists.range(100).all(j, lists.range(100).all(k, i + j + k >= 0)))"
SPENT = "validation failed due to running out of cost budget, no further validation rules will be run"


def demand(*expressions: str, **more: Any) -> dict[str, Any]:
    return {"validations": [{"expression": expression} for expression in expressions], **more}


def config_map(name: str = "one", **data: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "data": data}


def why(answer: httpx.Response) -> str:
    """Return the error message without the name of the policy and binding that denied the request."""
    message: str = answer.json()["message"]
    return message.partition("denied request: ")[2]


def test_the_first_of_several_denials_is_told(client: httpx.Client, validate: Bind, config_maps: str) -> None:
    name = validate(demand("object.data.k == 'v'", "false"))
    refused = client.post(config_maps, json=config_map(k="w"))
    denied = f"ValidatingAdmissionPolicy '{name}' with binding '{name}' denied request"
    assert refused.status_code == 422
    assert (
        refused.json()["message"]
        == f"configmaps \"one\" is forbidden: {denied}: failed expression: object.data.k == 'v'"
    )
    assert len(refused.json()["details"]["causes"]) == 1


def test_a_variable_is_evaluated_once_for_all_validations(
    client: httpx.Client, validate: Bind, config_maps: str
) -> None:
    once = "lists.range(300).all(i, lists.range(300).all(j, i + j >= 0))"
    spec = demand(*["variables.once"] * 20, variables=[{"name": "once", "expression": once}])
    validate(spec)
    assert client.post(config_maps, json=config_map()).status_code == 201


def test_what_no_validation_asks_for_is_not_evaluated(client: httpx.Client, validate: Bind, config_maps: str) -> None:
    validate(demand("true", variables=[{"name": "heavy", "expression": HEAVY}]))
    assert client.post(config_maps, json=config_map()).status_code == 201


def test_messages_spend_of_the_same_budget_and_deny_even_what_holds(
    client: httpx.Client, validate: Bind, config_maps: str
) -> None:
    cheap = "lists.range(300).all(i, lists.range(300).all(j, i + j >= 0))"
    holding = {"expression": "true", "messageExpression": f"string({cheap})"}
    validate({"validations": [holding] * 40})
    assert why(client.post(config_maps, json=config_map())) == f"failed messageExpression: {SPENT}"


def test_an_expression_that_costs_too_much_by_itself_is_an_error(
    client: httpx.Client, validate: Bind, config_maps: str
) -> None:
    validate(demand(HEAVY))
    over = f"expression '{HEAVY}' resulted in error: operation cancelled: actual cost limit exceeded"
    assert why(client.post(config_maps, json=config_map())) == over


def test_message_expressions_do_not_know_the_authorizer_through_variables_either(
    client: httpx.Client, validate: Bind, config_maps: str
) -> None:
    asked = "string(authorizer.path('/x').check('get').allowed())"
    message = {"expression": "false", "message": "m", "messageExpression": "string(variables.asked)"}
    validate({"validations": [message], "variables": [{"name": "asked", "expression": asked}]})
    assert why(client.post(config_maps, json=config_map())) == "m"


def test_match_conditions_do_not_know_the_namespace(client: httpx.Client, validate: Bind, config_maps: str) -> None:
    condition = {"name": "none", "expression": "namespaceObject != null"}
    validate(demand("false", matchConditions=[condition]))
    assert client.post(config_maps, json=config_map()).status_code == 201


def test_namespaces_are_shown_without_their_kind(
    client: httpx.Client, namespace: str, validate: Bind, config_maps: str
) -> None:
    name = "namespaceObject.metadata.name"
    validate({"validations": [{"expression": "has(dyn(namespaceObject).kind)", "messageExpression": name}]})
    assert why(client.post(config_maps, json=config_map())) == namespace


@pytest.mark.parametrize(
    ("method", "path", "shown"),
    [
        ("DELETE", "/one", "DeleteOptions one"),
        ("DELETE", "", "DeleteOptions Unknown"),
    ],
)
def test_deletions_show_their_options_and_those_of_collections_no_name(
    client: httpx.Client, validate: Bind, config_maps: str, method: str, path: str, shown: str
) -> None:
    client.post(config_maps, json=config_map()).raise_for_status()
    validate(
        {"validations": [{"expression": "object != null", "messageExpression": "string(request.options.kind)"}]},
        {"operations": ["DELETE"]},
    )
    refused = client.request(method, config_maps + path)
    kind, name = shown.split()
    assert (why(refused), refused.json()["details"]["name"]) == (kind, name)


def test_a_policy_sees_the_options_of_a_connection(client: httpx.Client, namespace: str, validate: Bind) -> None:
    rule = {"operations": ["CONNECT"], "resources": ["pods/exec"]}
    message = "object.kind + ' ' + object.command.join(' ') + ' ' + string(request.options == null)"
    validate({"validations": [{"expression": "oldObject != null", "messageExpression": message}]}, rule)
    refused = client.post(f"/api/v1/namespaces/{namespace}/pods/web/exec?command=ls&command=-l&stdout=true")
    assert why(refused) == "PodExecOptions ls -l true"


def test_reviews_and_policies_themselves_are_no_subject(client: httpx.Client, namespace: str, validate: Bind) -> None:
    validate(demand("false"), {"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"]})
    review = {"spec": {"resourceAttributes": {"verb": "get", "namespace": namespace}}}
    answered = client.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", json=review)
    assert answered.status_code == 201


def test_a_policy_without_a_binding_holds_nobody_back(client: httpx.Client, validate: Bind, config_maps: str) -> None:
    name = validate(demand("false"))
    client.delete(f"/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/{name}").raise_for_status()
    assert client.post(config_maps, json=config_map()).status_code == 201
    binding = {"metadata": {"name": name}, "spec": {"policyName": name, "validationActions": ["Deny"]}}
    client.post(
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings", json=binding
    ).raise_for_status()
    assert client.post(config_maps, json=config_map("two")).status_code == 422


def test_params_must_be_in_some_namespace(client: httpx.Client, namespace: str, validate: Bind) -> None:
    reference = {"name": "p", "parameterNotFoundAction": "Allow"}
    rule = {"apiGroups": ["scheduling.k8s.io"], "resources": ["priorityclasses"], "resourceNames": [namespace]}
    validate(demand("true", paramKind={"apiVersion": "v1", "kind": "ConfigMap"}), rule, paramRef=reference)
    body = {"metadata": {"name": namespace}, "value": 1}
    refused = client.post("/apis/scheduling.k8s.io/v1/priorityclasses?dryRun=All", json=body)
    cannot = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
    assert why(refused) == f"failed to configure binding: {cannot}"


def test_every_selected_parameter_has_its_say(client: httpx.Client, validate: Bind, config_maps: str) -> None:
    for name in ("a", "b"):
        body = {"metadata": {"name": name, "labels": {"role": "params"}}, "data": {"most": name}}
        client.post(config_maps, json=body).raise_for_status()
    reference = {"selector": {"matchLabels": {"role": "params"}}, "parameterNotFoundAction": "Deny"}
    spec = demand("object.data.k <= params.data.most", paramKind={"apiVersion": "v1", "kind": "ConfigMap"})
    validate(spec, paramRef=reference)
    assert client.post(config_maps, json=config_map(k="a")).status_code == 201
    assert client.post(config_maps, json=config_map("two", k="b")).status_code == 422


def test_expressions_that_take_long_do_not_keep_others_waiting(
    client: httpx.Client, validate: Bind, config_maps: str
) -> None:
    spec = {"validations": [{"expression": HEAVY}] * 5}
    validate(spec)
    with ThreadPoolExecutor(1) as elsewhere:
        slow = elsewhere.submit(client.post, config_maps, json=config_map())
        answered = 0
        while not slow.done():
            client.get(config_maps).raise_for_status()
            answered += 1
    assert slow.result().status_code == 422
    assert answered > 5


def test_a_namespace_is_in_itself(client: httpx.Client, namespace: str, validate: Bind) -> None:
    rule = {"resources": ["namespaces"], "operations": ["UPDATE"]}
    message = "request.namespace + ' ' + string(namespaceObject == null)"
    validate({"validations": [{"expression": "false", "messageExpression": message}]}, rule)
    headers = {"content-type": "application/merge-patch+json"}
    refused = client.patch(
        f"/api/v1/namespaces/{namespace}", json={"metadata": {"labels": {"a": "b"}}}, headers=headers
    )
    assert why(refused) == f"{namespace} true"
