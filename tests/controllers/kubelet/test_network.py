"""Connections from containers to Services and pods."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.kubelet.connections.client import Client, connections, logged
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("wget -qO- http://shop", "shop-1\n"),
        ("wget -q -O - shop.default:80/path", "shop-1\n"),
        ("wget http://shop.default.svc.cluster.local. -qO-", "shop-1\n"),
        ("wget -qO- shop-1.peers", "shop-1\n"),
        ("wget -qO- 10.244.1.2", "shop-1\n"),
        ("wget -qO- other-name", "shop-1\n"),
        ("wget -q shop; cat index.html", "shop-1\n"),
        ("curl -s http://shop/", "shop-1\n"),
        ("curl -s -o /dev/null -w '%{http_code}' shop", "200"),
        ("curl --silent --head shop | head -n 1", "HTTP/1.1 200 OK\r\n"),
    ],
)
async def test_a_request_reaches_a_pod(command: str, output: str) -> None:
    async with _shop() as box:
        assert await _run(box, command) == (output, "", 0)


@pytest.mark.parametrize(
    ("command", "message", "code"),
    [
        ("wget -qO- http://nowhere", "wget: bad address 'nowhere'\n", 1),
        ("wget -qO- example.com", "wget: bad address 'example.com'\n", 1),
        ("wget -qO- shop-1.peers:81", "wget: can't connect to remote host (10.244.1.2): Connection refused\n", 1),
        ("wget -qO- localhost", "wget: can't connect to remote host (127.0.0.1): Connection refused\n", 1),
        ("wget -qO- unready", "wget: can't connect to remote host (10.0.0.10): Connection refused\n", 1),
        ("curl -s nowhere", "", 6),
        ("curl nowhere", "curl: (6) Could not resolve host: nowhere\n", 6),
        (
            "curl shop-1.peers:81",
            "curl: (7) Failed to connect to shop-1.peers port 81 after 0 ms: Could not connect to server\n",
            7,
        ),
        ("curl -so /etc/hosts shop", "", 23),
        ("curl -o /etc/hosts shop", "curl: (23) Failure writing output to destination\n", 23),
        ("nslookup nowhere", "nslookup: can't resolve 'nowhere'\n", 1),
        ("wget -qO- https://shop", "sh: a request to https://shop is not simulated\n", 2),
        ("wget -qO- kubernetes", "wget: bad address 'kubernetes'\n", 1),
    ],
)
async def test_a_failed_request_says_why(command: str, message: str, code: int) -> None:
    async with _shop() as box:
        await box.cluster.create(_service("unready", "10.0.0.10", {"app": "none"}))
        _, errors, ended = await _run(box, command)
        assert (errors, ended) == (message, code)


async def test_nslookup_shows_the_names_of_a_headless_service() -> None:
    async with _shop() as box:
        output, _, _ = await _run(box, "nslookup peers")
        assert output == (
            "Server:    10.0.0.10\nAddress 1: 10.0.0.10 kube-dns.kube-system.svc.cluster.local\n\n"
            "Name:      peers\nAddress 1: 10.244.1.2 shop-1.peers.default.svc.cluster.local\n"
        )


async def test_the_endpoints_of_a_service_take_turns() -> None:
    async with _shop() as box:
        await box.create("shop-2", {"labels": {"app": "shop"}}, containers=[_server()])
        output, _, _ = await _run(box, "for i in 1 2 3; do wget -qO- shop; done")
        assert output == "shop-1\nshop-2\nshop-1\n"


async def test_an_init_container_waits_for_a_service() -> None:
    async with sandbox("endpoint", "endpointslice") as box:
        waits = container("i0", "until nslookup shop; do sleep 2; done")
        await box.create(initContainers=[waits], containers=[container("c0")])
        await box.advance(4)
        assert (await box.status())["phase"] == "Pending"
        await box.cluster.create(_service("shop", "10.0.0.9", {"app": "shop"}))
        await box.advance(2)
        assert (await box.status())["phase"] == "Running"


async def test_a_connection_that_nothing_answers_times_out() -> None:
    async with _shop() as box:
        await box.create("client", containers=[container("c0", "wget -T 5 -qO- shop:81")], restartPolicy="Never")
        await box.advance(4)
        assert (await box.status("client"))["phase"] == "Running"
        await box.advance(1)
        assert (await box.status("client"))["phase"] == "Failed"


async def test_the_configuration_of_the_resolver_has_the_namespace() -> None:
    async with sandbox() as box:
        await box.run("cat /etc/resolv.conf", restartPolicy="Never")
        assert (await logged(box)).splitlines()[0] == (
            "search default.svc.cluster.local svc.cluster.local cluster.local"
        )


@asynccontextmanager
async def _shop() -> AsyncIterator[Sandbox]:
    """Run a server behind two services and an alias of one, and a client named ``web``."""
    async with sandbox("endpoint", "endpointslice") as box:
        named = {"hostname": "shop-1", "subdomain": "peers"}
        await box.create("shop-1", {"labels": {"app": "shop"}}, containers=[_server()], **named)
        await box.cluster.create(_service("shop", "10.0.0.9", {"app": "shop"}))
        await box.cluster.create(_service("peers", "None", {"app": "shop"}))
        alias = {"type": "ExternalName", "externalName": "shop.default.svc.cluster.local"}
        await box.cluster.create({**_service("other-name", "", {}), "spec": alias})
        await box.create("web", containers=[container("c0", "sleep 1d")])
        yield box


def _server() -> Document:
    return {"name": "server", "image": "nginx", "ports": [{"containerPort": 80}]}


def _service(name: str, address: str, selector: Document) -> Document:
    spec = {"clusterIP": address, "selector": selector, "ports": [{"port": 80, "targetPort": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


async def _run(box: Sandbox, script: str) -> tuple[str, str, int]:
    """Run a script in the client; return its output, its errors and its exit code."""
    nodes, pod = await connections(box)
    client = Client(b"")
    code = await (await nodes.execute(pod, "c0", ["sh", "-c", script]))(client.streams)
    return client.output.decode(), client.errors.decode(), code
