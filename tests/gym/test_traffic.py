from typing import Any

import pytest

from memkube import Memkube
from memkube.gym.traffic import Peer, Traffic

WEB = {"app": "web"}
DATABASE = {"app": "db"}
FROM_WEB = {"podSelector": {"matchLabels": WEB}}
IN_SHOP = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}}


@pytest.fixture(scope="module")
def kube() -> Any:
    with Memkube(controllers="none") as kube:
        kube.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        yield kube


@pytest.mark.parametrize(
    ("rules", "source", "port", "allowed"),
    [
        (None, "default", 5432, True),
        ([], "default", 5432, False),
        ([{}], "shop", 1, True),
        ([{"from": [FROM_WEB]}], "default", 5432, True),
        ([{"from": [FROM_WEB]}], "shop", 5432, False),
        ([{"from": [IN_SHOP]}], "shop", 5432, True),
        ([{"from": [{**IN_SHOP, **FROM_WEB}]}], "shop", 5432, True),
        ([{"from": [{**IN_SHOP, "podSelector": {"matchLabels": DATABASE}}]}], "shop", 5432, False),
        ([{"from": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}], "default", 5432, False),
        ([{"ports": [{"port": 5432}]}], "default", 5432, True),
        ([{"ports": [{"port": 5432}]}], "default", 5433, False),
        ([{"ports": [{"port": 5432, "protocol": "UDP"}]}], "default", 5432, False),
    ],
)
def test_policies_allow_the_union_of_their_rules(
    kube: Memkube, rules: list[dict[str, Any]] | None, source: str, port: int, allowed: bool
) -> None:
    policy: dict[str, Any] = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "db"}}
    if rules is not None:
        policy["spec"] = {"podSelector": {"matchLabels": DATABASE}, "policyTypes": ["Ingress"], "ingress": rules}
        kube.create(policy)
    ends = {"from": Peer(namespace=source, labels=WEB), "to": Peer(namespace="default", labels=DATABASE)}
    try:
        assert Traffic(**ends, port=port, allowed=allowed).failure(kube) == ""
        assert Traffic(**ends, port=port, allowed=not allowed).failure(kube) != ""
    finally:
        if rules is not None:
            kube.delete("networkpolicies", "db")
