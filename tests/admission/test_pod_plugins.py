"""Admission plugins for pods that are not enabled by default."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

_APP = {"name": "app", "image": "nginx:1.27"}
_BIG = {**_APP, "resources": {"requests": {"cpu": "1"}}}
_PATCH = {"Content-Type": "application/strategic-merge-patch+json"}
_MERGED = "pod tolerations (possibly merged with namespace default tolerations)"
_PRESSURE = {"key": "node.kubernetes.io/memory-pressure", "operator": "Exists", "effect": "NoSchedule"}


def _post(client: httpx.Client, pods: str, **spec: Any) -> httpx.Response:
    return client.post(pods, json={"metadata": {"name": "web"}, "spec": {"containers": [_APP], **spec}})


def _tolerations(answer: httpx.Response) -> list[dict[str, Any]]:
    """Return the tolerations of a pod without those that every pod gets."""
    return [t for t in answer.json()["spec"]["tolerations"] if t.get("tolerationSeconds") != 300]


def test_images_are_always_pulled(strict: httpx.Client, strict_pods: str) -> None:
    init = {**_APP, "name": "init", "imagePullPolicy": "Never"}
    volumes = [{"name": "i", "image": {"reference": "x", "pullPolicy": "IfNotPresent"}}]
    spec = _post(strict, strict_pods, initContainers=[init], volumes=volumes).json()["spec"]
    policies = {container["imagePullPolicy"] for container in spec["containers"] + spec["initContainers"]}
    assert policies == {"Always"}
    assert spec["volumes"][0]["image"]["pullPolicy"] == "Always"


def _affinity(key: str) -> dict[str, Any]:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"a": "b"}}}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def test_pods_keep_others_off_nothing_larger_than_a_node(strict: httpx.Client, strict_pods: str) -> None:
    refused = _post(strict, strict_pods, affinity=_affinity("zone"))
    what = "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone"
    why = f"{what} but only key kubernetes.io/hostname is allowed"
    assert refused.json()["message"] == f'pods "web" is forbidden: {why}'
    assert _post(strict, strict_pods, affinity=_affinity("kubernetes.io/hostname")).status_code == 201


def test_who_requests_a_device_tolerates_what_keeps_others_off(strict: httpx.Client, strict_pods: str) -> None:
    amounts = dict.fromkeys(("x.com/b", "x.com/a", "cpu"), "1")
    container = {**_APP, "resources": {"requests": amounts, "limits": amounts}}
    own = {"key": "x.com/a", "operator": "Exists", "effect": "NoSchedule"}
    created = _post(strict, strict_pods, containers=[container], tolerations=[own])
    assert _tolerations(created) == [own, _PRESSURE, {**own, "key": "x.com/b"}]


def test_a_pod_gets_the_node_selector_of_its_namespace(
    strict: httpx.Client, strict_pods: str, annotate: Callable[[str, str], None]
) -> None:
    annotate("node-selector", "env=test, disk = ssd")
    created = _post(strict, strict_pods, nodeSelector={"env": "test", "own": "x"})
    assert created.json()["spec"]["nodeSelector"] == {"env": "test", "disk": "ssd", "own": "x"}


@pytest.mark.parametrize(
    ("selector", "code", "message"),
    [
        (
            "env=live",
            403,
            'pods "web" is forbidden: pod node label selector conflicts with its namespace node label selector',
        ),
        ("env=a=b", 500, "invalid selector: [env a b]"),
        ("env", 500, "invalid selector: [env]"),
        ("a=b=c,env=live", 500, "invalid selector: [a b c]"),
    ],
)
def test_a_pod_cannot_leave_the_nodes_of_its_namespace(
    strict: httpx.Client,
    strict_pods: str,
    annotate: Callable[[str, str], None],
    selector: str,
    code: int,
    message: str,
) -> None:
    annotate("node-selector", selector)
    refused = _post(strict, strict_pods, nodeSelector={"env": "test"})
    assert (refused.status_code, refused.json()["message"]) == (code, message)


@pytest.mark.parametrize(("key", "start"), [("!", '<nil>: Invalid value: "!": '), ("a", '[a]: Invalid value: "?": ')])
def test_a_node_selector_has_labels(
    strict: httpx.Client, strict_pods: str, annotate: Callable[[str, str], None], key: str, start: str
) -> None:
    annotate("node-selector", f"{key}=?")
    assert _post(strict, strict_pods).json()["message"].startswith(start)


def test_a_pod_gets_the_tolerations_of_its_namespace(
    strict: httpx.Client, strict_pods: str, annotate: Callable[[str, str], None]
) -> None:
    annotate("defaultTolerations", '[{"key": "a", "operator": "Exists"}, {"key": "b", "operator": "Exists"}]')
    own = {"key": "b", "operator": "Equal", "value": "c", "effect": "NoSchedule"}
    created = _post(strict, strict_pods, containers=[_BIG], tolerations=[own])
    assert _tolerations(created) == [{"key": key, "operator": "Exists"} for key in "ab"] + [_PRESSURE]


def test_a_pod_that_requests_nothing_leaves_when_memory_is_short(strict: httpx.Client, strict_pods: str) -> None:
    assert _tolerations(_post(strict, strict_pods)) == []


@pytest.mark.parametrize(
    ("allowed", "code", "message"),
    [
        (
            '[{"key": "a", "operator": "Exists"}]',
            500,
            f"{_MERGED} conflict with its namespace whitelist",
        ),
        ('[{"operator": "Exists"}]', 201, None),
        ("", 201, None),
        ("[]", 201, None),
        ("[{", 500, "unexpected end of JSON input"),
        ("{}", 500, "json: cannot unmarshal object into Go value of type []v1.Toleration"),
    ],
)
def test_a_namespace_may_name_what_its_pods_tolerate(
    strict: httpx.Client,
    strict_pods: str,
    annotate: Callable[[str, str], None],
    allowed: str,
    code: int,
    message: str | None,
) -> None:
    annotate("tolerationsWhitelist", allowed)
    answer = _post(strict, strict_pods)
    assert (answer.status_code, answer.json().get("message")) == (code, message)


def test_services_claim_no_addresses(strict: httpx.Client, strict_pods: str) -> None:
    spec = {"ports": [{"port": 80}], "externalIPs": ["192.0.2.1"]}
    services = strict_pods.replace("pods", "services")
    refused = strict.post(services, json={"metadata": {"name": "web"}, "spec": spec})
    why = "Use of external IPs is denied by admission control"
    assert refused.json()["message"] == f'services "web" is forbidden: {why}'
