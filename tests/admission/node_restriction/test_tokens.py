import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.admission.node_restriction.refusals import SPEC, why_refused
from tests.auth.users import RBAC, authorized_server


@pytest.fixture
def ask(strict: httpx.Client, kubelet: httpx.Client, strict_pods: str) -> Callable[..., httpx.Response]:
    """Return a function that requests a token as the kubelet, bound to a pod."""
    accounts = strict_pods.replace("pods", "serviceaccounts")
    strict.post(accounts, json={"metadata": {"name": "mine"}}).raise_for_status()

    def send(*audiences: str, **bound: str) -> httpx.Response:
        reference = {"apiVersion": "v1", "kind": "Pod", **bound} if bound else None
        spec = {"audiences": list(audiences), "boundObjectRef": reference}
        return kubelet.post(f"{accounts}/mine/token", json={"spec": spec})

    return send


def _made(strict: httpx.Client, strict_pods: str, node: str, *volumes: dict[str, Any]) -> str:
    """Create a pod with these volumes and the service account `mine`, and return the pod's uid."""
    spec = {**SPEC, "nodeName": node, "serviceAccountName": "mine", "volumes": list(volumes)}
    created = strict.post(strict_pods, json={"metadata": {"name": "web"}, "spec": spec})
    return str(created.raise_for_status().json()["metadata"]["uid"])


def test_a_kubelet_gets_tokens_for_its_pods(
    strict: httpx.Client, strict_pods: str, name: str, ask: Callable[..., httpx.Response]
) -> None:
    uid = _made(strict, strict_pods, name)
    assert ask("anybody", name="web", uid=uid).status_code == 201


@pytest.mark.parametrize(
    ("bound", "why"),
    [
        ({}, "node requested token not bound to a pod"),
        ({"name": "web", "kind": "Secret"}, "node requested token not bound to a pod"),
        ({"name": "web"}, "node requested token with a pod binding without a uid"),
        (
            {"name": "web", "uid": "x"},
            (
                "the UID in the bound object reference (x) does not match the UID in record. "
                "The object might have been deleted and then recreated"
            ),
        ),
    ],
)
def test_a_kubelet_gets_no_other_tokens(
    strict: httpx.Client,
    strict_pods: str,
    name: str,
    ask: Callable[..., httpx.Response],
    bound: dict[str, str],
    why: str,
) -> None:
    _made(strict, strict_pods, name)
    assert why_refused(ask(**bound)) == why


def test_a_kubelet_gets_no_tokens_for_pods_elsewhere(
    strict: httpx.Client, strict_pods: str, ask: Callable[..., httpx.Response]
) -> None:
    uid = _made(strict, strict_pods, "other")
    assert why_refused(ask(name="web", uid=uid)) == "node requested token bound to a pod scheduled on a different node"


_CLAIMING = {"name": "c", "persistentVolumeClaim": {"claimName": "data"}}


_INLINE = {"name": "d", "csi": {"driver": "x.com"}}


_PROJECTED = {"name": "p", "projected": {"sources": [{"serviceAccountToken": {"path": "t", "audience": "a"}}]}}


_NO_DRIVER = 'csidriver.storage.k8s.io "x.com" not found'


@pytest.mark.parametrize(
    ("volumes", "audiences", "why"),
    [
        ([], ["a", "b"], "node may only request 0 or 1 audiences"),
        ([_INLINE], ["a"], f'error validating audience "a": {_NO_DRIVER}'),
        (
            [_CLAIMING, _INLINE],
            [],
            f'error validating audience "": [persistentvolumeclaim "data" not found, {_NO_DRIVER}]',
        ),
        (
            [_PROJECTED, {"name": "g", "gcePersistentDisk": {"pdName": "x"}}],
            ["b"],
            'error validating audience "b": csidriver.storage.k8s.io "pd.csi.storage.gke.io" not found',
        ),
    ],
)
def test_an_audience_must_be_to_be_looked_up(
    strict: httpx.Client,
    strict_pods: str,
    name: str,
    ask: Callable[..., httpx.Response],
    volumes: list[dict[str, Any]],
    audiences: list[str],
    why: str,
) -> None:
    uid = _made(strict, strict_pods, name, *volumes)
    assert why_refused(ask(*audiences, name="web", uid=uid)) == why


def test_an_audience_that_a_volume_names_is_not_looked_up_further(
    strict: httpx.Client, strict_pods: str, name: str, ask: Callable[..., httpx.Response]
) -> None:
    uid = _made(strict, strict_pods, name, _INLINE, _PROJECTED)
    assert ask("a", name="web", uid=uid).status_code == 201


def test_an_audience_is_looked_up_in_the_driver_of_a_claim(
    strict: httpx.Client, strict_pods: str, name: str, ask: Callable[..., httpx.Response]
) -> None:
    amount, modes = {"storage": "1Gi"}, ["ReadWriteOnce"]
    volume, driver = f"pv-{uuid.uuid4().hex[:6]}", f"{uuid.uuid4().hex[:6]}.com"
    source = {"csi": {"driver": driver, "volumeHandle": "x"}, "persistentVolumeReclaimPolicy": "Retain"}
    body = {"metadata": {"name": volume}, "spec": {"capacity": amount, "accessModes": modes, **source}}
    strict.post("/api/v1/persistentvolumes", json=body).raise_for_status()
    claim = {"accessModes": modes, "resources": {"requests": amount}, "volumeName": volume, "storageClassName": ""}
    claims = strict_pods.replace("pods", "persistentvolumeclaims")
    strict.post(claims, json={"metadata": {"name": "data"}, "spec": claim}).raise_for_status()
    uid = _made(strict, strict_pods, name, _CLAIMING)
    why = f'error validating audience "a": csidriver.storage.k8s.io "{driver}" not found'
    assert why_refused(ask("a", name="web", uid=uid)) == why
    drivers = {"metadata": {"name": driver}, "spec": {"tokenRequests": [{"audience": "a"}]}}
    strict.post("/apis/storage.k8s.io/v1/csidrivers", json=drivers).raise_for_status()
    assert ask("a", name="web", uid=uid).status_code == 201


def test_the_authorizer_decides_about_audiences_that_no_volume_needs() -> None:
    node, accounts = "system:node:worker", "/api/v1/namespaces/default/serviceaccounts"
    with authorized_server("Node", "RBAC", plugins=("NodeRestriction",)) as users:
        users.admin("POST", accounts, {"metadata": {"name": "mine"}})
        spec = {**SPEC, "nodeName": "worker", "serviceAccountName": "mine"}
        body = {"metadata": {"name": "web"}, "spec": spec}
        uid = users.admin("POST", "/api/v1/namespaces/default/pods", body).json()["metadata"]["uid"]
        bound = {"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": uid}
        asked = node, "POST", f"{accounts}/mine/token", {"spec": {"audiences": ["a"], "boundObjectRef": bound}}
        why = f"{node} is not authorized to request tokens for this audience"
        refused = users.send(*asked, groups=("system:nodes",))
        assert why_refused(refused) == f'audience "a" not found in pod spec volume, {why}'
        rules = [{"apiGroups": [""], "resources": ["a"], "verbs": ["request-serviceaccounts-token-audience"]}]
        users.admin("POST", f"{RBAC}/clusterroles", {"metadata": {"name": "asker"}, "rules": rules})
        reference = {"kind": "ClusterRole", "name": "asker", "apiGroup": "rbac.authorization.k8s.io"}
        subject = {"kind": "User", "name": node, "apiGroup": "rbac.authorization.k8s.io"}
        binding = {"metadata": {"name": "asker"}, "roleRef": reference, "subjects": [subject]}
        users.admin("POST", f"{RBAC}/clusterrolebindings", binding)
        assert users.send(*asked, groups=("system:nodes",)).status_code == 201
