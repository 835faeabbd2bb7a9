"""Error messages for bodies of a wrong kind. They depend on which of Kubernetes' servers handles the request."""

import httpx
import pytest

NAMESPACES = "/api/v1/namespaces"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
SCHEMES = {
    NAMESPACES: "pkg/api/legacyscheme/scheme.go:30",
    DEFINITIONS: "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55",
    SERVICES: "k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28",
}


def answer(client: httpx.Client, path: str, api_version: str, kind: str) -> str:
    body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}}
    message: str = client.post(path, json=body).json()["message"]
    return message.partition(": ")[2]


@pytest.mark.parametrize(
    ("path", "api_version", "kind"),
    [
        (NAMESPACES, "v1", "Widget"),
        (NAMESPACES, "apps/v1", "Pod"),
        (NAMESPACES, "apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        (NAMESPACES, "apiregistration.k8s.io/v1", "ListOptions"),
        (DEFINITIONS, "v1", "Pod"),
        (DEFINITIONS, "apps/v1", "DeleteOptions"),
        (SERVICES, "apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ],
)
def test_a_kind_of_another_server_is_not_registered(
    client: httpx.Client, path: str, api_version: str, kind: str
) -> None:
    wanted = f'no kind "{kind}" is registered for version "{api_version}" in scheme "{SCHEMES[path]}"'
    assert answer(client, path, api_version, kind) == wanted


@pytest.mark.parametrize(
    ("path", "api_version", "kind", "conversion"),
    [
        (NAMESPACES, "apps/v1", "Deployment", "(v1.Deployment) to (core.Namespace)"),
        (NAMESPACES, "autoscaling/v2", "PatchOptions", "(v1.PatchOptions) to (core.Namespace)"),
        (NAMESPACES, "nowhere/v3", "Status", "(v1.Status) to (core.Namespace)"),
        (DEFINITIONS, "v1", "WatchEvent", "(v1.WatchEvent) to (apiextensions.CustomResourceDefinition)"),
        (
            SERVICES,
            "apiregistration.k8s.io/v1",
            "APIServiceList",
            "(v1.APIServiceList) to (apiregistration.APIService)",
        ),
    ],
)
def test_a_known_kind_cannot_be_converted(
    client: httpx.Client, path: str, api_version: str, kind: str, conversion: str
) -> None:
    assert answer(client, path, api_version, kind) == f"converting {conversion}: unknown conversion"


def test_an_object_of_another_kind_must_be_one_of_that_kind(client: httpx.Client) -> None:
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": {"replicas": "two"}}
    wanted = "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"
    assert client.post(NAMESPACES, json=body).json()["message"].endswith(f"handled as a Namespace: {wanted}")


def test_unprintable_kinds_and_versions_are_escaped_as_in_go(client: httpx.Client) -> None:
    body = {"apiVersion": "a\nb", "kind": "Pod\t", "metadata": {"name": "a"}}
    known = f'no kind "Pod\\t" is registered for version "a\\nb" in scheme "{SCHEMES[NAMESPACES]}"'
    message = client.post(NAMESPACES, json=body).json()["message"]
    assert message == f'Pod\t in version "a\\nb" cannot be handled as a Namespace: {known}'
    message = client.request("DELETE", f"{NAMESPACES}/default", json=body).json()["message"]
    assert message.startswith('no kind "Pod\\t" is registered for version "a\\nb" in scheme ')


@pytest.mark.parametrize("api_version", ["", "/", "/v1"])
def test_an_api_version_without_a_group_may_begin_with_a_slash(client: httpx.Client, api_version: str) -> None:
    body = {"apiVersion": api_version, "kind": "Namespace", "metadata": {"name": "a"}}
    assert client.post(f"{NAMESPACES}?dryRun=All", json=body).json()["apiVersion"] == "v1"


def test_a_group_without_a_version_means_the_version_of_the_url(client: httpx.Client) -> None:
    body = {"apiVersion": "apiextensions.k8s.io/", "kind": "CustomResourceDefinition", "metadata": {"name": "a"}}
    assert client.post(DEFINITIONS, json=body).status_code == 422


def test_no_fields_of_a_version_that_is_not_served_are_unknown(client: httpx.Client) -> None:
    body = {"apiVersion": "networking.k8s.io/v1beta1", "kind": "Ingress", "spec": {"backend": {"serviceName": "a"}}}
    refused = client.post("/apis/networking.k8s.io/v1/namespaces/default/ingresses", json=body)
    assert refused.json()["message"].startswith("the API version in the data (networking.k8s.io/v1beta1) does not")
    assert "warning" not in refused.headers


def test_another_group_without_a_version_lacks_its_version(client: httpx.Client) -> None:
    body = '{"apiVersion": "apps/", "kind": "Namespace"}'
    why = f"Object 'apiVersion' is missing in '{body}'"
    created = client.post(NAMESPACES, content=body).json()
    assert created["message"] == f'Namespace in version "" cannot be handled as a Namespace: {why}'
    deleted = client.request("DELETE", f"{NAMESPACES}/default", content=body).json()
    assert (deleted["code"], deleted["message"]) == (400, why)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("StatefulSet", "converting (apps.StatefulSet) to (apps.Deployment): unknown conversion"),
        ("Scale", "converting (autoscaling.Scale) to (apps.Deployment): unknown conversion"),
        ("Pod", 'no kind "Pod" is registered for the internal version of group "apps" in scheme '),
        ("DeleteOptions", 'no kind "DeleteOptions" is registered for the internal version of group "apps" in scheme '),
    ],
)
def test_a_patched_object_without_a_version_has_an_internal_kind(
    client: httpx.Client, namespace: str, kind: str, why: str
) -> None:
    collection = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "app", "image": "nginx"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    client.post(collection, json={"metadata": {"name": "a"}, "spec": spec}).raise_for_status()
    headers = {"Content-Type": "application/merge-patch+json"}
    answer = client.patch(f"{collection}/a", json={"apiVersion": None, "kind": kind}, headers=headers)
    assert answer.status_code == 422
    assert f'": {why}' in answer.json()["message"]
