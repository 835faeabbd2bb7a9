"""Probes and lifecycle hooks that send requests to servers in pods."""

from typing import Any

import pytest

from tests.controllers.kubelet.connections.client import Client, connections, logged
from tests.controllers.kubelet.sandbox import container, sandbox

pytestmark = pytest.mark.anyio

_AGNHOST = "registry.k8s.io/e2e-test-images/agnhost:2.63.0"
_NAMED = [{"name": "web", "containerPort": 8000}]


@pytest.mark.parametrize(
    ("http", "is_ready"),
    [
        ([{"status": 503}], False),
        ([{"status": 399}], True),
        ([{"status": 400, "path": "/healthz"}], False),
        ([{"status": 400, "path": "/other"}], True),
        ([{"status": 400, "port": 8000}], False),
        ([{"status": 400, "port": 8001}], True),
        ([{"status": 302, "headers": {"Location": "/end"}, "path": "/healthz"}, {"status": 500}], False),
    ],
)
@pytest.mark.parametrize("port", [8000, "web"])
async def test_an_http_probe_has_the_result_of_a_configured_response(
    http: list[dict[str, Any]], is_ready: bool, port: int | str
) -> None:
    async with sandbox() as box:
        await box.rule(http=http)
        probe = {"httpGet": {"path": "/healthz?a", "port": port}}
        await box.create(containers=[container("c0", readinessProbe=probe, ports=_NAMED)])
        assert (await box.container())["ready"] == is_ready


async def test_the_event_about_an_http_probe_has_the_status() -> None:
    async with sandbox() as box:
        await box.rule(http=[{"status": 404}])
        await box.create(containers=[container("c0", readinessProbe={"httpGet": {"port": 80}})])
        assert await box.events("Unhealthy") == ["Readiness probe failed: HTTP probe failed with statuscode: 404"]


async def test_the_configured_result_of_a_probe_comes_first() -> None:
    async with sandbox() as box:
        await box.rule(http=[{"status": 503}], probes={"readiness": {}})
        await box.create(containers=[container("c0", readinessProbe={"httpGet": {"port": 80}})])
        assert (await box.container())["ready"]


@pytest.mark.parametrize("host", ["::1", "[", "no host", "10.244.1.2:80"])
async def test_a_probe_of_an_address_that_memkube_does_not_know_succeeds(host: str) -> None:
    async with sandbox() as box:
        probe = {"httpGet": {"port": 80, "host": host, "path": "//["}}
        await box.create(containers=[_agnhost("c0", "netexec", readinessProbe=probe)])
        assert (await box.container())["ready"]


async def test_a_probe_fails_if_a_redirect_is_malformed() -> None:
    async with sandbox() as box:
        await box.rule(http=[{"status": 302, "headers": {"Location": "http://["}}])
        await box.create(containers=[container("c0", readinessProbe={"httpGet": {"port": 80}})])
        assert not (await box.container())["ready"]


@pytest.mark.parametrize("handler", [{"httpGet": {"port": "none"}}, {"tcpSocket": {"port": "none"}}])
async def test_a_probe_of_a_port_without_a_name_fails(handler: dict[str, Any]) -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", readinessProbe=handler, ports=_NAMED)])
        assert await box.events("Unhealthy") == [
            'Readiness probe errored and resulted in unknown state: strconv.Atoi: parsing "none": invalid syntax'
        ]


async def test_a_probe_that_cannot_be_performed_restarts_no_container() -> None:
    async with sandbox() as box:
        probe = {"httpGet": {"port": "none"}, "periodSeconds": 1, "failureThreshold": 1}
        await box.create(containers=[container("c0", livenessProbe=probe)])
        await box.advance(10)
        assert (await box.container())["restartCount"] == 0


async def test_a_probe_follows_ten_redirects() -> None:
    async with sandbox() as box:
        await box.rule(http=[{"status": 302, "headers": {"Location": "/again"}}])
        await box.create(containers=[container("c0", readinessProbe={"httpGet": {"port": 80}})])
        assert await box.events("Unhealthy") == ['Readiness probe failed: Get "/again": stopped after 10 redirects']


@pytest.mark.parametrize("hook", ["postStart", "preStop"])
async def test_a_hook_that_connects_by_tcp_fails(hook: str) -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", lifecycle={hook: {"tcpSocket": {"port": 80}}})])
        await box.cluster.delete("pods", "web")
        assert len(await box.events("FailedPostStartHook", "FailedPreStopHook")) == 1


@pytest.mark.parametrize(
    ("arguments", "probe", "event"),
    [
        (["netexec"], {"httpGet": {"path": "/healthz", "port": 8080}}, ""),
        (["netexec"], {"httpGet": {"path": "/echo?code=418", "port": 8080}}, "HTTP probe failed with statuscode: 418"),
        (
            ["netexec"],
            {"httpGet": {"port": 81}},
            'Get "http://10.244.1.2:81/": dial tcp 10.244.1.2:81: connect: connection refused',
        ),
        (
            ["netexec"],
            {"httpGet": {"port": 8080, "scheme": "HTTPS"}},
            'Get "https://10.244.1.2:8080/": http: server gave HTTP response to HTTPS client',
        ),
        (["netexec", "--tls-cert-file=/c"], {"httpGet": {"port": 8080, "scheme": "HTTPS"}}, ""),
        (
            ["netexec", "--tls-cert-file=/c"],
            {"httpGet": {"port": 8080}},
            "HTTP probe failed with statuscode: 400",
        ),
        (
            ["netexec"],
            {"httpGet": {"path": "/redirect?location=/redirect%3Flocation%3D/echo%3Fcode%3D500", "port": 8080}},
            "HTTP probe failed with statuscode: 500",
        ),
        (["netexec"], {"tcpSocket": {"port": 8080}}, ""),
        (["pause"], {"tcpSocket": {"port": 8080}}, "dial tcp 10.244.1.2:8080: connect: connection refused"),
        (["grpc-health-checking"], {"grpc": {"port": 5000}}, ""),
        (
            ["grpc-health-checking", "--delay-unhealthy-sec=0"],
            {"grpc": {"port": 5000}},
            'service unhealthy (responded with "NOT_SERVING")',
        ),
        (
            ["grpc-health-checking"],
            {"grpc": {"port": 5000, "service": "x"}},
            "error: health rpc probe failed: rpc error: code = NotFound desc = unknown service",
        ),
        (
            ["grpc-health-checking"],
            {"grpc": {"port": 2333}},
            'timeout: failed to connect service "10.244.1.2:2333" within 1s: context deadline exceeded',
        ),
    ],
)
async def test_probes_have_the_result_of_agnhost(arguments: list[str], probe: dict[str, Any], event: str) -> None:
    async with sandbox() as box:
        await box.create(containers=[_agnhost("c0", *arguments, readinessProbe=probe)])
        expected = [f"Readiness probe failed: {event}"] if event else []
        assert await box.events("Unhealthy") == expected


async def test_agnhost_is_restarted_once_it_is_unhealthy() -> None:
    async with sandbox() as box:
        probe = {"httpGet": {"path": "/healthz", "port": 8080}, "failureThreshold": 1, "periodSeconds": 5}
        await box.create(containers=[_agnhost("c0", "liveness", livenessProbe=probe)])
        await box.advance(14)
        assert (await box.container())["restartCount"] == 0
        await box.advance(1)
        assert await box.events("Unhealthy") == ["Liveness probe failed: HTTP probe failed with statuscode: 500"]


async def test_a_redirect_to_another_host_succeeds_with_a_warning() -> None:
    async with sandbox() as box:
        probe = {"httpGet": {"path": "/redirect?location=http://0.0.0.0/", "port": 8080}}
        await box.create(containers=[_agnhost("c0", "netexec", readinessProbe=probe)])
        body = '<a href="http://0.0.0.0/">Found</a>.\n\n'
        text = f"Readiness probe warning: Probe terminated redirects, Response body: {body}"
        assert await box.events("ProbeWarning") == [text]
        assert (await box.container())["ready"]


@pytest.mark.parametrize("hook", ["postStart", "preStop"])
async def test_an_http_hook_reaches_the_server_that_it_names(hook: str) -> None:
    async with sandbox() as box:
        await box.create("server", containers=[_agnhost("c0", "netexec")])
        action = {"httpGet": {"host": "10.244.1.2", "path": "/echo?msg=hook", "port": 8080}}
        await box.create("hooked", containers=[container("c0", lifecycle={hook: action})])
        assert ("GET /echo?msg=hook&code=" in await logged(box, pod="server")) == (hook == "postStart")
        await box.cluster.delete("pods", "hooked")
        assert (await logged(box, pod="server")).count("GET /echo?msg=hook&code=\n") == 1


async def test_an_https_hook_falls_back_to_http() -> None:
    async with sandbox() as box:
        action = {"httpGet": {"path": "/echo?msg=hook", "port": 8080, "scheme": "HTTPS"}}
        await box.create(containers=[_agnhost("c0", "netexec", lifecycle={"postStart": action})])
        text = "request to HTTPS lifecycle hook 10.244.1.2:8080 got HTTP response, retry with HTTP succeeded"
        assert await box.events("LifecycleHTTPFallback") == [text]
        assert "GET /echo?msg=hook&code=\n" in await logged(box, pod="web")


async def test_a_post_start_hook_without_an_answer_stops_its_container() -> None:
    async with sandbox() as box:
        hook = {"postStart": {"httpGet": {"port": 1}}}
        await box.create(containers=[_agnhost("c0", "netexec", lifecycle=hook)])
        assert await box.events("FailedPostStartHook", "Killing") == ["PostStartHook failed", "FailedPostStartHook"]


async def test_a_container_whose_post_start_hook_failed_is_stopped_like_any_other() -> None:
    async with sandbox() as box:
        hooks = {"postStart": {"exec": {"command": ["false"]}}, "preStop": {"sleep": {"seconds": 3}}}
        await box.create(containers=[container("c0", "sleep 600", lifecycle=hooks)], terminationGracePeriodSeconds=5)
        await box.advance(4.9)
        assert (await box.container())["state"] == {"waiting": {"reason": "ContainerCreating"}}
        await box.advance(0.1)
        assert (await box.container())["lastState"]["terminated"]["exitCode"] == 137
        assert (await box.condition("Ready"))[0] == "False"


async def test_a_failed_pre_stop_hook_is_told_in_an_event() -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", lifecycle={"preStop": {"exec": {"command": ["false"]}}})])
        await box.cluster.delete("pods", "web")
        assert await box.events("FailedPreStopHook") == ["PreStopHook failed"]


async def test_a_pre_stop_hook_runs_once() -> None:
    async with sandbox() as box:
        await box.create("server", containers=[_agnhost("c0", "netexec")])
        hook = {"preStop": {"exec": {"command": ["curl", "http://10.244.1.2:8080/echo?msg=hook"]}}}
        await box.create("hooked", containers=[container("c0", "sleep 600", lifecycle=hook)])
        await box.cluster.delete("pods", "hooked")
        await box.advance(3)
        await box.cluster.delete("pods", "hooked")
        assert (await logged(box, pod="server")).count("GET /echo?msg=hook&code=\n") == 1


def _agnhost(name: str, *arguments: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "image": _AGNHOST, "args": list(arguments), **fields}


async def test_a_container_is_ready_as_long_as_agnhost_serves_its_file() -> None:
    async with sandbox() as box:
        probe = {"httpGet": {"path": "/localhost.crt", "port": 80}, "periodSeconds": 1, "failureThreshold": 1}
        server = {"name": "c0", "image": _AGNHOST, "args": ["test-webserver"], "readinessProbe": probe}
        await box.create(containers=[server])
        assert (await box.container())["ready"]
        nodes, pod = await connections(box)
        await (await nodes.execute(pod, "c0", ["mv", "/localhost.crt", "/tmp/"]))(Client(b"").streams)
        await box.advance(2)
        assert not (await box.container())["ready"]
