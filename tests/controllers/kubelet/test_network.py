"""Connections from containers to Services and pods."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.kubelet.connections.client import Client, connections, logged
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio

_BAD_REQUEST = (
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
)


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
        ("wget -d a shop", "sh: wget -d a shop is not simulated\n", 2),
        ("wget -qO- https://shop", "sh: a request to https://shop is not simulated\n", 2),
        ("wget -qO- kubernetes", "wget: bad address 'kubernetes'\n", 1),
    ],
)
async def test_a_failed_request_says_why(command: str, message: str, code: int) -> None:
    async with _shop() as box:
        await box.cluster.create(_service("unready", "10.0.0.10", {"app": "none"}))
        _, errors, ended = await _run(box, command)
        assert (errors, ended) == (message, code)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("dig +short shop.default.svc.cluster.local", "10.0.0.9\n"),
        ("dig +search +short shop A", "10.0.0.9\n"),
        ("dig +short shop", ""),
        (
            "dig +notcp +noall +answer +search shop.default AAAA; dig +noall +answer shop.default.svc.cluster.local",
            "shop.default.svc.cluster.local. 30 IN\tA\t10.0.0.9\n",
        ),
        (
            "dig +tcp +noall +answer +search _http._tcp.shop.default.svc SRV",
            "_http._tcp.shop.default.svc.cluster.local. 30 IN SRV 0 100 80 shop.default.svc.cluster.local.\n",
        ),
        ("dig +search +short SRV _http._tcp.peers", "0 100 80 shop-1.peers.default.svc.cluster.local.\n"),
        ("dig +short 9.0.0.10.in-addr.arpa. PTR", "shop.default.svc.cluster.local.\n"),
        ("dig +short other-name.default.svc.cluster.local CNAME", "shop.default.svc.cluster.local.\n"),
        (
            "dig +short other-name.default.svc.cluster.local",
            "shop.default.svc.cluster.local.\n10.0.0.9\n",
        ),
        ("getent hosts shop", "10.0.0.9        shop.default.svc.cluster.local\n"),
        ("getent hosts web", "10.244.1.3      web\n"),
        ("getent hosts nowhere; echo $?", "2\n"),
    ],
)
async def test_programs_show_dns_records(command: str, output: str) -> None:
    async with _shop() as box:
        assert await _run(box, command) == (output, "", 0)


@pytest.mark.parametrize(
    "command", ["dig shop", "dig +short shop MX", "dig +short @1.1.1.1 shop", "getent passwd root"]
)
async def test_other_queries_are_not_simulated(command: str) -> None:
    async with _shop() as box:
        assert await _run(box, command) == ("", f"sh: {command} is not simulated\n", 2)


async def test_a_service_of_another_type_is_no_alias() -> None:
    async with _shop() as box:
        service = _service("former", "10.0.0.12", {})
        service["spec"] |= {"type": "ClusterIP", "externalName": "bar.example.com"}
        await box.cluster.create(service)
        assert await _run(box, "dig +search +short former") == ("10.0.0.12\n", "", 0)


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


@pytest.mark.parametrize(
    ("command", "output", "errors", "code"),
    [
        ("nc -v -z -w 2 shop 80", "", "Connection to shop 80 port [tcp/http] succeeded!\n", 0),
        (
            "echo hostName | nc -v -t -w 2 agnhost 81",
            _BAD_REQUEST,
            "Connection to agnhost 81 port [tcp/*] succeeded!\n",
            0,
        ),
        ("nc -w 1 agnhost 82 </dev/null", "agnhost", "", 0),
        ("nc -vz shop-1.peers 81", "", "nc: connect to shop-1.peers port 81 (tcp) failed: Connection refused\n", 1),
        ("nc -z shop-1.peers 81", "", "", 1),
        ("nc -vzw 1 shop 81", "", "nc: connect to shop port 81 (tcp) timed out: Operation in progress\n", 1),
        ("nc nowhere 1", "", 'nc: getaddrinfo for host "nowhere" port 1: Name does not resolve\n', 1),
        ("echo x | nc shop 80", "", "sh: sending text to port 80 of a server is not simulated\n", 2),
        ("echo hostName | nc -vu -w 1 agnhost 83", "agnhost", "Connection to agnhost 83 port [udp/*] succeeded!\n", 0),
        ("printf 'echo A b' | nc -u -w 1 agnhost 83", "a b", "", 0),
        ("echo serverport | nc -u -w 1 agnhost 83", "8081", "", 0),
        ("echo clientip | nc -u -w 1 agnhost 83", "10.244.1.3:32768", "", 0),
        ("echo more | nc -u -w 1 agnhost 83", "", "", 0),
        ("echo x | nc -u shop 80", "", "sh: nc -u shop 80 is not simulated\n", 2),
        ("nc -l 80", "", "sh: nc -l is not simulated\n", 2),
    ],
)
async def test_nc_connects_by_tcp_and_udp(command: str, output: str, errors: str, code: int) -> None:
    async with _shop() as box:
        servers = [
            _agnhost("a", "netexec", "--http-port=81"),
            _agnhost("b", "serve-hostname", "--http=false", "--tcp", "--port=82"),
        ]
        await box.create("agnhost", {"labels": {"app": "agnhost"}}, containers=servers)
        ports = [{"name": "a", "port": 81}, {"name": "b", "port": 82}]
        ports.append({"name": "u", "port": 83, "targetPort": 8081, "protocol": "UDP"})
        service = _service("agnhost", "10.0.0.11", {"app": "agnhost"})
        await box.cluster.create({**service, "spec": {**service["spec"], "ports": ports}})
        assert await _run(box, command, waits=1) == (output, errors, code)


@pytest.mark.parametrize(
    ("command", "method"),
    [
        ("wget -qO- --post-data=a porter", "POST"),
        ("wget --post-data a -qO- porter", "POST"),
        ("curl -s -d a porter", "POST"),
        ("curl -s -X PUT -d a porter", "PUT"),
        ("curl -s porter", "GET"),
    ],
)
async def test_requests_have_the_method_of_the_command(command: str, method: str) -> None:
    async with _shop() as box:
        server = _agnhost("a", "porter", "--json-response")
        variables = [{"name": "SERVE_PORT_80", "value": "x"}]
        await box.create("porter", {"labels": {"app": "porter"}}, containers=[{**server, "env": variables}])
        await box.cluster.create(_service("porter", "10.0.0.11", {"app": "porter"}))
        assert await _run(box, command) == (f'{{"Method":"{method}","Body":"x"}}', "", 0)


@pytest.mark.parametrize(
    ("target", "errors", "code"),
    [
        ("shop:80", "", 0),
        ("shop-1.peers:81", "REFUSED\n", 1),
        ("shop:81", "TIMEOUT\n", 1),
        ("nowhere:80", "DNS: lookup nowhere: no such host\n", 1),
        ("shop", "sh: agnhost connect to shop by tcp is not simulated\n", 2),
    ],
)
async def test_agnhost_says_why_a_connection_failed(target: str, errors: str, code: int) -> None:
    async with _shop() as box:
        assert await _run(box, f"/agnhost connect --timeout=3s {target}", waits=3) == ("", errors, code)


async def test_so_many_sessions_of_clients_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memkube.controllers.kubelet.connections.cluster_network._MOST_AFFINITIES", 1)
    async with _shop() as box:
        await box.create("shop-2", {"labels": {"app": "shop"}}, containers=[_server()])
        await _create_sticky(box, "sticky", "10.0.0.12")
        await _create_sticky(box, "other", "10.0.0.13")
        output, _, _ = await _run(box, "for name in sticky sticky other sticky; do wget -qO- $name; done")
        assert output == "shop-1\nshop-1\nshop-1\nshop-2\n"


async def test_a_client_keeps_the_endpoint_of_its_session() -> None:
    async with _shop() as box:
        await box.create("shop-2", {"labels": {"app": "shop"}}, containers=[_server()])
        await _create_sticky(box, "sticky", "10.0.0.12")
        again = "wget -qO- sticky; wget -qO- sticky"
        assert (await _run(box, again))[0] == "shop-1\n" * 2
        await box.advance(60)
        assert (await _run(box, again))[0] == "shop-2\n" * 2


@pytest.mark.parametrize("address", ["172.16.0.1:30080", "192.0.2.1", "172.16.0.1:8000"])
async def test_a_service_is_reached_at_its_other_addresses(address: str) -> None:
    async with _shop() as box:
        spec = {"type": "NodePort", "clusterIP": "10.0.0.12", "selector": {"app": "shop"}, "externalIPs": ["192.0.2.1"]}
        ports = [{"port": 80, "targetPort": 80, "nodePort": 30080}]
        await box.cluster.create({**_service("node-port", "", {}), "spec": {**spec, "ports": ports}})
        mapped = {**_server(), "ports": [{"containerPort": 80, "hostPort": 8000}]}
        await box.create("shop-2", containers=[mapped])
        assert (await _run(box, f"wget -qO- {address}"))[0] == ("shop-2\n" if "8000" in address else "shop-1\n")


@pytest.mark.parametrize(
    ("policy", "address", "answers"),
    [
        ({"internalTrafficPolicy": "Local"}, "10.0.0.12 80", False),
        ({"internalTrafficPolicy": "Cluster"}, "10.0.0.12 80", True),
        ({"externalTrafficPolicy": "Local"}, "10.0.0.12 80", True),
        ({"externalTrafficPolicy": "Local"}, "172.16.0.1 30080", True),
        ({"externalTrafficPolicy": "Local"}, "172.16.0.2 30080", True),
        ({"externalTrafficPolicy": "Local"}, "172.16.0.3 30080", False),
    ],
)
async def test_traffic_policies_limit_connections_to_the_endpoints_of_a_node(
    policy: Document, address: str, answers: bool
) -> None:
    async with _shop(nodes=3) as box:
        await box.create("far", {"labels": {"app": "far"}}, containers=[_server()], nodeName="node-2")
        spec = {"type": "NodePort", "clusterIP": "10.0.0.12", "selector": {"app": "far"}, **policy}
        ports = [{"port": 80, "targetPort": 80, "nodePort": 30080}]
        await box.cluster.create({**_service("policy", "", {}), "spec": {**spec, "ports": ports}})
        _, _, code = await _run(box, f"nc -zw 1 {address}", waits=1)
        assert (code == 0) == answers


@pytest.mark.parametrize("label", ["service.kubernetes.io/headless", "service.kubernetes.io/service-proxy-name"])
async def test_a_service_of_another_proxy_does_not_answer(label: str) -> None:
    async with _shop() as box:
        service = _service("other", "10.0.0.12", {"app": "shop"})
        service["metadata"]["labels"] = {label: "x"}
        await box.cluster.create(service)
        assert await _run(box, "nc -zw 1 other 80", waits=1) == ("", "", 1)


async def test_a_host_port_leads_to_a_pod_that_runs() -> None:
    async with _shop() as box:
        mapped = {"ports": [{"containerPort": 80, "hostPort": 8000}]}
        await box.create("ended", containers=[container("c0", "true", **mapped)], restartPolicy="Never")
        await box.create("shop-2", containers=[{**_server(), **mapped}])
        assert (await _run(box, "wget -qO- 172.16.0.1:8000"))[0] == "shop-2\n"


async def test_a_port_of_a_node_without_a_server_refuses_connections() -> None:
    async with _shop() as box:
        assert (await _run(box, "nc -vz 172.16.0.1 1"))[1].endswith("failed: Connection refused\n")


async def test_a_pod_with_the_network_of_its_node_reaches_host_ports_by_loopback() -> None:
    async with _shop() as box:
        mapped = {**_server(), "ports": [{"containerPort": 80, "hostPort": 8000, "hostIP": "127.0.0.1"}]}
        await box.create("shop-2", containers=[mapped])
        await box.cluster.delete("pods", "web")
        await box.advance(30)
        await box.create("web", containers=[container("c0", "sleep 1d")], hostNetwork=True)
        assert (await _run(box, "wget -qO- localhost:8000"))[0] == "shop-2\n"


@asynccontextmanager
async def _shop(**options: Any) -> AsyncIterator[Sandbox]:
    """Run a server behind two services and an alias of one, and a client named ``web``."""
    async with sandbox("endpoint", "endpointslice", **options) as box:
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


async def _create_sticky(box: Sandbox, name: str, address: str) -> None:
    """Create a service whose clients keep their endpoint for a minute."""
    service = _service(name, address, {"app": "shop"})
    config = {"clientIP": {"timeoutSeconds": 60}}
    affinity = {"sessionAffinity": "ClientIP", "sessionAffinityConfig": config}
    await box.cluster.create({**service, "spec": {**service["spec"], **affinity}})


def _agnhost(name: str, *arguments: str) -> Document:
    return {"name": name, "image": "agnhost", "args": list(arguments)}


def _service(name: str, address: str, selector: Document) -> Document:
    spec = {"clusterIP": address, "selector": selector, "ports": [{"name": "http", "port": 80, "targetPort": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


async def _run(box: Sandbox, script: str, waits: float = 0) -> tuple[str, str, int]:
    """Run a script in the client; return its output, its errors and its exit code.

    `waits` is the number of seconds by which the clock moves in the meantime.
    """
    nodes, pod = await connections(box)
    client = Client(b"")
    running = asyncio.ensure_future((await nodes.execute(pod, "c0", ["sh", "-c", script]))(client.streams))
    await box.advance(waits)
    code = await running
    return client.output.decode(), client.errors.decode(), code
