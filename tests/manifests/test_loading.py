import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from memkube.errors import MemkubeError, ServerError
from memkube.manifests.creation import empty_cluster
from memkube.manifests.live_cluster import LiveCluster
from memkube.manifests.loading import Copied, Wanted, copy_cluster
from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.hooks.listening import Received, http, listening

_GROUP: Final = "/apis/example.com/v1"
_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_DEFINITION: Final = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wg"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


def _post(client: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(path, json=body)
    assert answer.status_code == 201, answer.text
    document: dict[str, Any] = answer.json()
    return document


def fill(client: httpx.Client) -> None:
    """Create a custom kind and an object of it, a terminating ConfigMap that the object owns, and a Secret."""
    _post(client, "/api/v1/namespaces", {"metadata": {"name": "shop", "annotations": {"a": "b"}}})
    _post(client, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", _DEFINITION)
    widget = {"metadata": {"name": "w", "finalizers": ["example.com/x"]}, "spec": {"size": 3}}
    for _ in range(100):
        if client.get(f"{_GROUP}/widgets").status_code == 200:
            break
    path = f"{_GROUP}/namespaces/shop/widgets"
    made = _post(client, path, {"apiVersion": "example.com/v1", "kind": "Widget", **widget})
    made["status"] = {"seen": True}
    assert client.put(f"{path}/w/status", json=made).status_code == 200
    owner = {"apiVersion": "example.com/v1", "kind": "Widget", "name": "w", "uid": made["metadata"]["uid"]}
    maps = "/api/v1/namespaces/shop/configmaps"
    metadata = {"name": "m", "ownerReferences": [owner], "finalizers": ["example.com/y"], "labels": {"app": "web"}}
    _post(client, maps, {"metadata": metadata, "data": {"x": "y"}})
    assert client.delete(f"{maps}/m").status_code == 200
    annotations = {_APPLIED: '{"data":{"password":"aHVudGVyMg=="}}', "kept": "yes"}
    secret = {"metadata": {"name": "s", "annotations": annotations}, "data": {"password": "aHVudGVyMg=="}}
    _post(client, "/api/v1/namespaces/shop/secrets", secret)
    _post(client, "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "elsewhere"}})


@pytest.fixture(scope="module")
def source() -> Iterator[httpx.Client]:
    with (
        Server(Settings(controllers=())).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        fill(client)
        yield client


@pytest.fixture
def cluster(source: httpx.Client, tmp_path: Path) -> LiveCluster:
    write_kubeconfig(tmp_path / "kubeconfig", str(source.base_url).rstrip("/"))
    return LiveCluster(str(tmp_path / "kubeconfig"))


def _copied(cluster: LiveCluster, wanted: Wanted | None = None) -> Copied:
    return copy_cluster(cluster, wanted or Wanted(), lambda *_: None)


def _names(copied: Copied, kind: str) -> list[str]:
    return sorted(d["metadata"]["name"] for d in copied.objects.values() if d["kind"] == kind)


def test_objects_are_copied_as_they_are(cluster: LiveCluster, source: httpx.Client) -> None:
    copied = _copied(cluster)
    for key, path in (
        ("/example.com/widgets/shop/w", f"{_GROUP}/namespaces/shop/widgets/w"),
        ("/core/configmaps/shop/m", "/api/v1/namespaces/shop/configmaps/m"),
    ):
        assert copied.objects[key] == source.get(path).json()
    assert copied.left_out == []


def test_metrics_are_not_reported_as_left_out(tmp_path: Path) -> None:
    with Server(Settings(controllers=("kubelet",))).in_thread() as server:
        write_kubeconfig(tmp_path / "kubeconfig", server.url)
        assert _copied(LiveCluster(str(tmp_path / "kubeconfig"))).left_out == []


def test_what_every_server_has_is_not_copied(cluster: LiveCluster) -> None:
    kinds = _copied(cluster).kinds
    assert not {"APIService", "FlowSchema", "PriorityLevelConfiguration", "Service", "Endpoints", "IPAddress"} & {
        *kinds
    }


def test_values_of_secrets_are_copied_where_that_is_wanted_only(cluster: LiveCluster) -> None:
    masked = _copied(cluster).objects["/core/secrets/shop/s"]
    assert masked["data"] == {"password": "bWFza2Vk"}
    assert masked["metadata"]["annotations"] == {"kept": "yes"}
    whole = _copied(cluster, Wanted(secrets=True)).objects["/core/secrets/shop/s"]
    assert whole["data"] == {"password": "aHVudGVyMg=="}
    assert _APPLIED in whole["metadata"]["annotations"]


def test_a_namespace_can_be_copied_alone_with_the_definitions_that_it_needs(cluster: LiveCluster) -> None:
    copied = _copied(cluster, Wanted(namespaces=("shop",)))
    assert copied.kinds == {"Namespace": 1, "ConfigMap": 1, "Secret": 1, "Widget": 1, "CustomResourceDefinition": 1}


@pytest.mark.parametrize("name", ["configmaps", "cm", "ConfigMap"])
def test_a_kind_can_be_copied_alone_with_its_namespaces(cluster: LiveCluster, name: str) -> None:
    copied = _copied(cluster, Wanted(kinds=(name,)))
    assert {*copied.kinds} == {"ConfigMap", "Namespace"}
    assert {"m", "elsewhere"} <= {*_names(copied, "ConfigMap")}
    assert _names(copied, "Namespace") == ["default", "kube-system", "shop"]


def test_a_custom_kind_can_be_copied_alone(cluster: LiveCluster) -> None:
    assert {*_copied(cluster, Wanted(kinds=("wg",))).kinds} == {"Widget", "CustomResourceDefinition", "Namespace"}


def test_a_kind_that_is_not_there_is_refused(cluster: LiveCluster) -> None:
    with pytest.raises(MemkubeError, match="no kind gizmos whose objects can be copied"):
        _copied(cluster, Wanted(kinds=("gizmos",)))


def test_objects_can_be_selected_by_labels(cluster: LiveCluster) -> None:
    copied = _copied(cluster, Wanted(selector="app=web"))
    assert copied.kinds == {"ConfigMap": 1, "Namespace": 1}


def test_leases_are_copied_where_they_are_wanted(cluster: LiveCluster, source: httpx.Client) -> None:
    _post(source, "/apis/coordination.k8s.io/v1/namespaces/default/leases", {"metadata": {"name": "l"}})
    assert "Lease" not in _copied(cluster).kinds
    assert _names(_copied(cluster, Wanted(passing=True)), "Lease") == ["l"]
    assert _names(_copied(cluster, Wanted(kinds=("leases",))), "Lease") == ["l"]


def test_pages_are_put_together(cluster: LiveCluster, source: httpx.Client) -> None:
    _post(source, "/api/v1/namespaces", {"metadata": {"name": "many"}})
    for number in range(501):
        _post(source, "/api/v1/namespaces/many/serviceaccounts", {"metadata": {"name": f"a{number}"}})
    assert len(_names(_copied(cluster, Wanted(namespaces=("many",))), "ServiceAccount")) == 501


def test_objects_whose_owners_stay_behind_are_told(cluster: LiveCluster) -> None:
    assert _copied(cluster).orphans() == []
    assert _copied(cluster, Wanted(kinds=("configmaps",))).orphans() == ["/core/configmaps/shop/m"]


def test_every_kind_that_is_copied_can_be_kept(cluster: LiveCluster) -> None:

    async def kept() -> int:
        async with empty_cluster(()) as empty:
            return len((await empty.with_objects(_copied(cluster).snapshot().objects.objects)).objects)

    assert asyncio.run(kept()) >= len(_copied(cluster).objects)


def _answered_where_it_may(source: httpx.Client, received: Received) -> bytes:
    """Answer like a server on which the user may not read Secrets and cluster-scoped objects."""
    path = received.target.partition("?")[0]
    if "/secrets" in path or path in ("/api/v1/namespaces", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"):
        return http(b'{"kind": "Status", "code": 403, "reason": "Forbidden", "message": "no"}', "403 Forbidden")
    return http(source.get(received.target).content)


def test_what_one_may_not_read_is_left_out_and_told(source: httpx.Client, tmp_path: Path) -> None:
    with listening(None, partial(_answered_where_it_may, source)) as server:
        write_kubeconfig(tmp_path / "kubeconfig", f"http://127.0.0.1:{server.port}")
        copied = _copied(LiveCluster(str(tmp_path / "kubeconfig")), Wanted(namespaces=("shop",)))
    assert copied.kinds == {"Namespace": 1, "ConfigMap": 1}
    assert copied.forbidden == ["customresourcedefinitions.apiextensions.k8s.io", "secrets"]
    assert copied.left_out == ["widgets.v1.example.com"]


def test_a_namespace_that_is_not_there_is_refused(cluster: LiveCluster) -> None:
    with pytest.raises(MemkubeError, match="the cluster has no namespace nowhere"):
        _copied(cluster, Wanted(namespaces=("nowhere",)))


def test_a_kubeconfig_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"no\.config"):
        LiveCluster(str(tmp_path / "no.config"))
    (tmp_path / "broken").write_text("{clusters")
    with pytest.raises(ServerError, match="broken: while parsing a flow mapping"):
        LiveCluster(str(tmp_path / "broken"))
    write_kubeconfig(tmp_path / "kubeconfig", "http://127.0.0.1:1")
    with pytest.raises(ServerError, match="no server answers at"):
        LiveCluster(str(tmp_path / "kubeconfig")).get("/version")
