"""The servers of agnhost, as clients and other pods reach them."""

import json

import pytest

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.controllers.kubelet.saving import KubeletState, restored_pod, saved_pod
from memkube.controllers.kubelet.service_variables import ServiceLinks, saved_sets
from memkube.controllers.kubelet.storage.persistent_files import PersistentFiles
from memkube.controllers.options import ControllerOptions
from memkube.registry.declarations.streaming import HttpAnswer, HttpRequest, StreamFailed
from tests.controllers.kubelet.connections.client import connections, logged
from tests.controllers.kubelet.sandbox import Sandbox, sandbox

pytestmark = pytest.mark.anyio

_IMAGE = "registry.k8s.io/e2e-test-images/agnhost:2.63.0"


@pytest.mark.parametrize(
    ("target", "status", "body"),
    [
        ("/hostname", 200, "web"),
        ("/hostName?x", 200, "web"),
        ("/echo?msg=a%20b&code=503", 503, "a b"),
        ("/echo?msg=x&code=many", 200, "argument 'code' must be an integer or empty, got \"many\"\n"),
        ("/clientip", 200, "10.244.1.9:32768"),
        ("/serverport", 200, "8080"),
        ("/healthz", 200, ""),
        ("/readyz", 200, "ok"),
        ("/redirect?location=/healthz", 302, '<a href="/healthz">Found</a>.\n\n'),
        ("/echo?code=" + "9" * 5000, 200, "argument 'code' must be an integer or empty, got \"" + "9" * 5000 + '"\n'),
        ("/echo?code=99", 501, "memkube does not simulate the status code 99 of agnhost netexec\n"),
        ("/redirect?location=//[", 302, '<a href="//[">Found</a>.\n\n'),
        ("/%65cho?msg=a", 200, "a"),
        ("/shell?cmd=ls", 501, "memkube does not simulate /shell of agnhost netexec\n"),
    ],
)
async def test_netexec_answers(target: str, status: int, body: str) -> None:
    async with sandbox() as box:
        await _serve(box, "netexec")
        answer = await _get(box, 8080, HttpRequest(target, client="10.244.1.9"))
        assert (answer.status, answer.body.decode()) == (status, body)


async def test_netexec_does_not_send_requests_that_send_requests() -> None:
    async with sandbox() as box:
        await _serve(box, "netexec")
        nested = "%2564ial%3Fhost%3D10.244.1.2%26port%3D8080%26request%3Dx"
        answer = await _get(box, 8080, HttpRequest(f"/dial?host=10.244.1.2&port=8080&request={nested}"))
        assert answer.status == 501


async def test_netexec_logs_the_requests() -> None:
    async with sandbox() as box:
        await _serve(box, "netexec", "--http-port=80", "--udp-port", "-1")
        await _get(box, 80, HttpRequest("/echo?msg=prestop"))
        await _get(box, 80, HttpRequest("/any"))
        lines = [line.split(" ", 2)[2] for line in (await logged(box)).splitlines()]
        assert lines == ["Started HTTP server on port 80", "GET /echo?msg=prestop&code=", "GET /"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_netexec_is_not_healthy_without_its_udp_server(path: str) -> None:
    async with sandbox() as box:
        await _serve(box, "netexec", "--udp-port=-1")
        assert (await _get(box, 8080, HttpRequest(path))).status == 412


async def test_agnhost_listens_on_its_own_ports_only() -> None:
    async with sandbox() as box:
        await _serve(box, "netexec", "--http-port=81", ports=[{"containerPort": 80}])
        with pytest.raises(ConnectionRefusedError):
            await _get(box, 80, HttpRequest("/"))


async def test_serve_hostname_answers_every_path() -> None:
    async with sandbox() as box:
        await _serve(box, "serve-hostname")
        assert await _get(box, 9376, HttpRequest("/any")) == (200, (), b"web")


async def test_test_webserver_serves_the_files_of_its_container() -> None:
    async with sandbox() as box:
        await _serve(box, "test-webserver")
        assert (await _get(box, 80, HttpRequest("/etc/hostname"))).body == b"web\n"
        assert (await _get(box, 80, HttpRequest("/../etc//hostname"))).body == b"web\n"
        assert (await _get(box, 80, HttpRequest("/nothing"))).status == 404
        assert (await _get(box, 80, HttpRequest("/etc"))).headers == (("Location", "etc/"),)
        assert b'<a href="etc/">etc/</a>\n' in (await _get(box, 80, HttpRequest("/"))).body


async def test_liveness_becomes_unhealthy_after_ten_seconds() -> None:
    async with sandbox() as box:
        await _serve(box, "liveness")
        await box.advance(10)
        assert (await _get(box, 8080, HttpRequest("/healthz"))).body == b"ok"
        await box.advance(0.5)
        assert await _get(box, 8080, HttpRequest("/healthz")) == (500, (), b"error: 10.5")


async def test_porter_serves_the_values_of_its_variables() -> None:
    async with sandbox() as box:
        variables = {"SERVE_PORT_80": "<a href=x>", "SERVE_TLS_PORT_443": "secret"}
        await _serve(box, "porter", env=[{"name": name, "value": value} for name, value in variables.items()])
        plain = await _get(box, 80, HttpRequest("/"))
        assert plain == (200, (("Content-Type", "text/html; charset=utf-8"),), b"<a href=x>")
        assert (await _get(box, 443, HttpRequest("/", uses_tls=True))).body == b"secret"
        assert (await _get(box, 443, HttpRequest("/"))).status == 400
        with pytest.raises(StreamFailed, match="TLS handshake"):
            await _get(box, 80, HttpRequest("/", uses_tls=True))


async def test_porter_shows_the_method_of_a_request() -> None:
    async with sandbox() as box:
        await _serve(box, "porter", "--json-response", env=[{"name": "SERVE_PORT_80", "value": "foo"}])
        answer = await _get(box, 80, HttpRequest("/", "PATCH"))
        assert answer == (200, (("Content-Type", "application/json"),), b'{"Method":"PATCH","Body":"foo"}')


@pytest.mark.parametrize(
    ("query", "output"),
    [
        ("port=9376&request=x", {"responses": ["other"]}),
        ("port=9376&request=x&tries=2", {"responses": ["other", "other"]}),
        ("port=53&protocol=udp&request=hostname", {"responses": ["other"]}),
        (
            "port=1&request=x",
            {"errors": ['Get "http://10.244.1.2:1/x": dial tcp 10.244.1.2:1: connect: connection refused']},
        ),
    ],
)
async def test_netexec_sends_requests_to_other_pods(query: str, output: Document) -> None:
    async with sandbox() as box:
        arguments = {"c0": ["serve-hostname"], "c1": ["netexec", "--udp-port=53"]}
        servers = [{"name": name, "image": _IMAGE, "args": given} for name, given in arguments.items()]
        await box.create("other", containers=servers)
        await _serve(box, "netexec")
        answer = await _get(box, 8080, HttpRequest(f"/dial?host=10.244.1.2&{query}"))
        assert json.loads(answer.body) == output


async def test_nettest_counts_the_sources_of_requests() -> None:
    async with sandbox() as box:
        await _serve(box, "nettest")
        for body in (b'{"Source": "prestop"}', b'{"Source": "prestop"}', b"{}"):
            assert (await _get(box, 8080, HttpRequest("/write", "POST", body=body))).body == b'{"Hostname":"web"}\n'
        state = json.loads((await _get(box, 8080, HttpRequest("/read"))).body)
        assert (state["Received"], state["Errors"]) == ({"prestop": 2}, ["web: Got request with no source"])
        assert (await _get(box, 8080, HttpRequest("/write", "POST", body=b"?"))).status == 501


async def test_a_snapshot_has_the_state_of_a_server() -> None:
    async with sandbox() as box:
        await _serve(box, "nettest")
        await _get(box, 8080, HttpRequest("/write", "POST", body=b'{"Source": "a"}'))
        assert box.cluster.manager.kubelet is not None
        _, pod = await connections(box)
        simulated = box.cluster.manager.kubelet.simulated(pod)
        assert simulated is not None
        variables = ServiceLinks(Informer())
        variables.restore(saved_sets(simulated.service_variables))
        state = KubeletState(ControllerOptions(), PersistentFiles(Informer()), variables.restored)
        restored = restored_pod(saved_pod(simulated), pod, set(), state)
        process = restored.containers["c0"].process
        assert process is not None
        assert process.server_state == {"received": {"a": 1}}


async def test_answers_of_a_behaviour_come_before_those_of_agnhost() -> None:
    async with sandbox() as box:
        await box.rule(http=[{"path": "/healthz", "status": 500}])
        await _serve(box, "netexec")
        assert (await _get(box, 8080, HttpRequest("/healthz"))).status == 500
        assert (await _get(box, 8080, HttpRequest("/readyz"))).status == 200


@pytest.mark.parametrize(
    ("arguments", "gone_after"),
    [(["netexec"], 0), (["netexec", "--delay-shutdown=7"], 7), (["serve-hostname"], 30)],
)
async def test_servers_end_after_the_delay_of_their_shutdown(arguments: list[str], gone_after: int) -> None:
    async with sandbox() as box:
        await _serve(box, *arguments)
        await box.cluster.delete("pods", "web")
        await box.advance(max(gone_after - 1, 0))
        assert (await box.pod() is not None) == (gone_after > 0)
        await box.advance(min(gone_after, 1))
        assert await box.pod() is None


async def _serve(box: Sandbox, *arguments: str, **fields: object) -> None:
    await box.create(containers=[{"name": "c0", "image": _IMAGE, "args": list(arguments), **fields}])


async def _get(box: Sandbox, port: int, request: HttpRequest) -> HttpAnswer:
    nodes, pod = await connections(box)
    return await nodes.request(pod, port, request)
