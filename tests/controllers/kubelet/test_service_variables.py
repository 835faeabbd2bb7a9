"""Environment variables of Services in containers."""

from typing import Any

import pytest

import memkube
from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.controllers.kubelet.service_variables import ServiceLinks, restored_sets, saved_sets
from memkube.registry.objects.stored import StoredObject
from tests.controllers.kubelet.connections.client import logged
from tests.controllers.kubelet.sandbox import container, sandbox


def service(name: str, address: str, *ports: Document, namespace: str = "default", version: int = 1) -> Document:
    metadata = {"name": name, "namespace": namespace, "uid": f"{namespace}/{name}", "resourceVersion": str(version)}
    spec = {"clusterIP": address, "ports": list(ports) or [{"port": 80, "protocol": "TCP"}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


MASTER = service("kubernetes", "10.0.0.1", {"name": "https", "port": 443, "protocol": "TCP"})


def links(*services: Document) -> tuple[ServiceLinks, Informer]:
    informer = Informer()
    for document in services:
        informer.put(StoredObject(document))
    return ServiceLinks(informer), informer


def test_a_service_has_the_variables_of_the_kubelet() -> None:
    ports = {"name": "http-web", "port": 80, "protocol": "TCP"}, {"name": "dns", "port": 53, "protocol": "UDP"}
    found, _ = links(service("my-web", "10.0.0.5", *ports, namespace="shop"))
    assert dict(found.of("shop", all_services=True)) == {
        "MY_WEB_SERVICE_HOST": "10.0.0.5",
        "MY_WEB_SERVICE_PORT": "80",
        "MY_WEB_SERVICE_PORT_HTTP_WEB": "80",
        "MY_WEB_SERVICE_PORT_DNS": "53",
        "MY_WEB_PORT": "tcp://10.0.0.5:80",
        "MY_WEB_PORT_80_TCP": "tcp://10.0.0.5:80",
        "MY_WEB_PORT_80_TCP_PROTO": "tcp",
        "MY_WEB_PORT_80_TCP_PORT": "80",
        "MY_WEB_PORT_80_TCP_ADDR": "10.0.0.5",
        "MY_WEB_PORT_53_UDP": "udp://10.0.0.5:53",
        "MY_WEB_PORT_53_UDP_PROTO": "udp",
        "MY_WEB_PORT_53_UDP_PORT": "53",
        "MY_WEB_PORT_53_UDP_ADDR": "10.0.0.5",
    }


def test_only_services_with_a_cluster_ip_have_variables() -> None:
    found, _ = links(service("headless", "None"), service("outside", ""))
    assert not found.of("default", all_services=True)


@pytest.mark.parametrize(
    ("namespace", "all_services", "hosts"),
    [
        ("default", True, {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "WEB_SERVICE_HOST": "10.0.0.2"}),
        ("default", False, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}),
        ("shop", True, {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "CART_SERVICE_HOST": "10.0.0.3"}),
        ("empty", True, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}),
        ("own", True, {"KUBERNETES_SERVICE_HOST": "10.0.0.4"}),
        ("own", False, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}),
    ],
)
def test_a_container_sees_the_services_of_its_namespace(
    namespace: str, all_services: bool, hosts: dict[str, str]
) -> None:
    web, cart = service("web", "10.0.0.2"), service("cart", "10.0.0.3", namespace="shop")
    found, _ = links(MASTER, web, cart, service("kubernetes", "10.0.0.4", namespace="own"))
    variables = found.of(namespace, all_services=all_services)
    assert {name: value for name, value in variables.items() if name.endswith("_HOST")} == hosts


def test_containers_share_the_variables_until_a_service_changes() -> None:
    found, services = links(MASTER, service("web", "10.0.0.2"))
    before = found.of("default", all_services=True)
    services.put(StoredObject(service("web", "10.0.0.2", version=2)))
    assert found.of("default", all_services=True) is before
    services.put(StoredObject(service("web", "10.0.0.3", version=3)))
    after = found.of("default", all_services=True)
    assert (before["WEB_SERVICE_HOST"], after["WEB_SERVICE_HOST"]) == ("10.0.0.2", "10.0.0.3")
    assert after.services[0] is before.services[0]


def test_saved_sets_have_each_service_once() -> None:
    found, services = links(MASTER, service("web", "10.0.0.2"))
    before = found.of("default", all_services=True)
    services.put(StoredObject(service("cart", "10.0.0.3")))
    after = found.of("default", all_services=True)
    saved = saved_sets([before, after, before])
    assert [len(document["services"]) for document in saved] == [3]
    restored = restored_sets(saved)
    assert [dict(restored[variables.number]) for variables in (before, after)] == [dict(before), dict(after)]


@pytest.mark.anyio
async def test_variables_refer_to_those_of_services() -> None:
    async with sandbox() as box:
        await box.cluster.create(_web())
        env = [{"name": "URL", "value": "http://$(WEB_SERVICE_HOST):$(WEB_SERVICE_PORT)"}]
        command = ["echo", "$(WEB_PORT_80_TCP_ADDR)", "$(URL)"]
        await box.create(containers=[{"name": "c0", "image": "busybox", "command": command, "env": env}])
        assert await logged(box) == "10.0.0.7 http://10.0.0.7:80\n"


@pytest.mark.anyio
async def test_declared_variables_precede_and_hide_those_of_services() -> None:
    async with sandbox() as box:
        await box.cluster.create(_web())
        env = [{"name": "WEB_SERVICE_HOST", "value": "elsewhere"}, {"name": "COLOR", "value": "red"}]
        await box.create(containers=[container("c0", "env | cut -d = -f 1 | head -n 6; env | grep _HOST", env=env)])
        lines = (await logged(box)).split()
        assert lines[:5] == ["PATH", "HOSTNAME", "WEB_SERVICE_HOST", "COLOR", "WEB_SERVICE_PORT"]
        assert [line for line in lines if "=" in line] == ["WEB_SERVICE_HOST=elsewhere"]


@pytest.mark.anyio
async def test_a_container_sees_a_later_service_after_its_restart() -> None:
    async with sandbox() as box:
        await box.run('sleep 5; echo "host: $WEB_SERVICE_HOST"')
        await box.cluster.create(_web())
        await box.advance(5)
        assert await logged(box, previous=True) == "host: \n"
        await box.advance(5)
        assert await logged(box) == "host: 10.0.0.7\n"


@pytest.mark.anyio
async def test_a_script_can_change_and_unset_variables_of_services() -> None:
    async with sandbox() as box:
        await box.cluster.create(_web())
        await box.run("unset WEB_PORT; WEB_SERVICE_HOST=x; (unset WEB_SERVICE_HOST); env | cut -d = -f 1,2 | sort")
        lines = (await logged(box)).splitlines()
        assert "WEB_SERVICE_HOST=x" in lines
        assert "WEB_PORT" not in {line.partition("=")[0] for line in lines}


def test_a_restored_container_keeps_its_variables() -> None:
    with memkube.Memkube(nodes=1, clock="stepped") as kube:
        kube.create(_web())
        script = 'while sleep 60; do echo "$WEB_SERVICE_HOST"; done'
        spec = {"containers": [{"name": "main", "image": "busybox", "command": ["sh", "-c", script]}]}
        kube.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "prints"}, "spec": spec})
        kube.clock.advance(90)
        kube.delete("services", "web")
        kube.restore(kube.snapshot())
        kube.restore(kube.snapshot())
        kube.clock.advance(60)
        assert kube.logs("prints") == "10.0.0.7\n10.0.0.7\n"


def _web() -> dict[str, Any]:
    spec = {"clusterIP": "10.0.0.7", "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": spec}
