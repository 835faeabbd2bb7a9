"""The requests that webhooks receive, and the error messages if a webhook cannot be called."""

import gzip
import re
from collections.abc import Iterator
from ipaddress import ip_address

import pytest
from cryptography import x509

from memkube.hooks.client import MOST_ANSWER_BYTES, MOST_CONFIGURATIONS, HookClient
from memkube.hooks.configuration import ClientConfig, ConfigurationRefused, HookFailed, ServiceReference
from tests.hooks.conftest import Nowhere
from tests.hooks.listening import LOOPBACK, Answer, Certificates, Received, http, listening

pytestmark = pytest.mark.anyio
_BODY = "unexpected error when reading response body. Please retry. Original error: "


async def refused(calling: HookClient, config: ClientConfig, seconds: float = 30) -> str:
    """Return the error message of a call that fails, without ports and times."""
    with pytest.raises(HookFailed) as caught:
        await calling.post(config, b"{}", seconds)
    return re.sub(r":\d{4,5}\b", "", caught.value.message).replace(f"?timeout={seconds:g}s", "")


async def test_a_hook_is_sent_json_and_told_its_time(
    calling: HookClient, certificate: bytes, certificates: Certificates
) -> None:
    with listening(certificate, lambda _: http(b"{}")) as hook:
        answer = await calling.post(ClientConfig(hook.url, ca_bundle=certificates.bundle), b'{"a":1}', 2.5)
        received = hook.received.get(timeout=60)
    assert (answer.status, answer.body) == (200, b"{}")
    assert (received.method, received.target, received.body) == ("POST", "/hook?timeout=3s", b'{"a":1}')
    assert received.headers["content-type"] == "application/json"
    assert received.headers["accept"] == "application/json, */*"


async def test_calls_to_the_same_hook_share_a_connection(
    calling: HookClient, certificate: bytes, certificates: Certificates
) -> None:
    with listening(certificate, lambda _: http(b"{}")) as hook:
        for _ in range(3):
            await calling.post(ClientConfig(hook.url, ca_bundle=certificates.bundle), b"{}", 5)
        assert hook.connections == 1


async def test_so_many_configurations_have_connections_that_nobody_uses(
    calling: HookClient, certificate: bytes, certificates: Certificates
) -> None:
    with listening(certificate, lambda _: http(b"{}")) as hook:
        for number in range(MOST_CONFIGURATIONS + 2):
            bundle = certificates.bundle + b"# %d" % number
            await calling.post(ClientConfig(hook.url, ca_bundle=bundle), b"{}", 5)
        await calling.post(ClientConfig(hook.url, ca_bundle=bundle), b"{}", 5)
        assert hook.connections == MOST_CONFIGURATIONS + 2
        await calling.post(ClientConfig(hook.url, ca_bundle=certificates.bundle + b"# 0"), b"{}", 5)
        assert hook.connections == MOST_CONFIGURATIONS + 3


async def test_a_host_that_is_no_name_is_not_found(calling: HookClient) -> None:
    said = await refused(calling, ClientConfig(f"https://{'ä' * 64}.example"))
    assert said.endswith("no such host")


async def test_a_service_is_called_by_its_name_wherever_it_stands(
    calling: HookClient, services: Nowhere, certificates: Certificates
) -> None:
    certificate = certificates.issue(x509.DNSName("hooks.prod.svc"))
    config = ClientConfig(service=ServiceReference("prod", "hooks", "/x/../y/", 8443), ca_bundle=certificates.bundle)
    with listening(certificate, lambda _: http(b"{}")) as hook:
        services.place = hook.host, hook.port
        await calling.post(config, b"{}", 10)
        received = hook.received.get(timeout=60)
    assert (received.headers["host"], received.target) == ("hooks.prod.svc:8443", "/y?timeout=10s")


async def test_a_service_that_nobody_knows_is_not_found(calling: HookClient) -> None:
    config = ClientConfig(service=ServiceReference("prod", "hooks"))
    assert await refused(calling, config) == 'Post "https://hooks.prod.svc:443/": service "hooks" not found'


async def test_an_answer_may_come_packed(calling: HookClient, certificate: bytes, certificates: Certificates) -> None:
    with listening(certificate, lambda _: http(gzip.compress(b"{}"), Content_Encoding="gzip")) as hook:
        answer = await calling.post(ClientConfig(hook.url, ca_bundle=certificates.bundle), b"{}", 5)
    assert answer.body == b"{}"


@pytest.mark.parametrize(("status", "method"), [("302 Found", "GET"), ("307 Temporary Redirect", "POST")])
async def test_redirections_are_followed(
    calling: HookClient, certificate: bytes, certificates: Certificates, status: str, method: str
) -> None:
    def answer(received: Received) -> bytes:
        return http(b"", status, Location="there") if "there" not in received.target else http(b"{}")

    with listening(certificate, answer) as hook:
        await calling.post(ClientConfig(hook.url, ca_bundle=certificates.bundle), b"{}", 5)
        hook.received.get(timeout=60)
        second = hook.received.get(timeout=60)
    assert (second.method, second.target) == (method, "/there")


async def test_a_hook_may_ask_for_a_later_attempt(
    calling: HookClient, certificate: bytes, certificates: Certificates
) -> None:
    answers = iter([http(b"", "503 Busy", Retry_After="0"), http(b"{}")])
    with listening(certificate, lambda _: next(answers)) as hook:
        answer = await calling.post(ClientConfig(hook.url, ca_bundle=certificates.bundle), b"{}", 5)
    assert answer.status == 200


def _endless(received: Received) -> Iterator[bytes]:
    yield http(b"", Content_Length=str(1 << 30))
    for _ in range(1 << 10):
        yield bytes(1 << 20)


def _half(received: Received) -> Iterator[bytes]:
    yield http(b"{}", Content_Length="9")
    raise OSError


_BROKEN = "net/http: HTTP/1.x transport connection broken: "


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        pytest.param(lambda _: None, 'Post "URL": EOF', id="closes"),
        pytest.param(_half, f"{_BODY}unexpected EOF", id="closes in the middle"),
        pytest.param(_endless, f"{_BODY}response body is longer than {MOST_ANSWER_BYTES} bytes", id="one gigabyte"),
        pytest.param(
            lambda _: http(gzip.compress(bytes(MOST_ANSWER_BYTES + 1)), Content_Encoding="gzip"),
            f"{_BODY}response body is longer than {MOST_ANSWER_BYTES} bytes",
            id="bomb",
        ),
        pytest.param(
            lambda _: http(b"{}", Content_Encoding="gzip"), f"{_BODY}gzip: invalid header", id="not packed at all"
        ),
        pytest.param(
            lambda _: http(gzip.compress(b"{}")[:-9], Content_Encoding="gzip"), f"{_BODY}unexpected EOF", id="cut"
        ),
        pytest.param(
            lambda _: b"HTTP/1.1 OK\r\n\r\n", f'Post "URL": {_BROKEN}malformed HTTP status code "OK"', id="status"
        ),
        pytest.param(
            lambda _: b"HTTP/1.1 200 OK\r\nodd\r\n\r\n",
            f'Post "URL": {_BROKEN}malformed MIME header: missing colon: "odd"',
            id="header",
        ),
        pytest.param(
            lambda _: http(b"{}", Content_Length="two"), f'Post "URL": {_BROKEN}bad Content-Length "two"', id="length"
        ),
        pytest.param(
            lambda _: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            f"{_BODY}invalid byte in chunk length",
            id="chunk",
        ),
        pytest.param(
            lambda _: http(b"", "302 Found", Location="/hook"),
            'Post "/hook": stopped after 10 redirects',
            id="redirects for ever",
        ),
        pytest.param(
            lambda _: http(b"", "302 Found", Location="ftp://a/b"),
            'Post "ftp://a/b": unsupported protocol scheme "ftp"',
            id="redirects to another protocol",
        ),
        pytest.param(
            lambda _: http(b"", "500 Later", Retry_After="9"),
            'Post "URL": context deadline exceeded',
            id="asks for too long a wait",
        ),
    ],
)
async def test_hostile_hooks_are_told_in_the_words_of_go(
    calling: HookClient, certificate: bytes, certificates: Certificates, answer: Answer, why: str
) -> None:
    with listening(certificate, answer) as hook:
        seconds = 0.5 if "deadline" in why else 30
        said = await refused(calling, ClientConfig(hook.url, ca_bundle=certificates.bundle), seconds)
    assert said.replace("https://127.0.0.1/hook", "URL").replace("?timeout=1s", "") == why


@pytest.mark.parametrize("begun", [b"", http(b"{}", Content_Length="9")])
async def test_a_hook_that_hangs_has_its_time_and_no_more(
    calling: HookClient, certificate: bytes, certificates: Certificates, begun: bytes
) -> None:
    def answer(received: Received) -> Iterator[bytes]:
        yield begun
        hook.hang(received)

    with listening(certificate, answer) as hook:
        said = await refused(calling, ClientConfig(hook.url, ca_bundle=certificates.bundle), 1)
    where = _BODY if begun else 'Post "https://127.0.0.1/hook": '
    assert said == f"{where}context deadline exceeded"


async def test_a_hook_without_tls_is_told_from_one_with_a_bad_certificate(calling: HookClient) -> None:
    with listening(None, lambda _: None) as hook:
        said = await refused(calling, ClientConfig(hook.url))
    assert said.endswith(": EOF")


@pytest.mark.parametrize(
    ("names", "days", "why"),
    [
        ((LOOPBACK,), (-3, -1), "certificate has expired or is not yet valid: current time T is after T"),
        ((LOOPBACK,), (1, 3), "certificate has expired or is not yet valid: current time T is before T"),
        ((), (-1, 1), "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"),
        (
            (x509.IPAddress(ip_address("10.0.0.1")),),
            (-1, 1),
            "certificate is valid for 10.0.0.1, not 127.0.0.1",
        ),
    ],
)
async def test_a_certificate_is_not_taken_for_a_reason(
    calling: HookClient,
    certificates: Certificates,
    names: tuple[x509.GeneralName, ...],
    days: tuple[int, int],
    why: str,
) -> None:
    with listening(certificates.issue(*names, days=days), lambda _: http(b"{}")) as hook:
        said = await refused(calling, ClientConfig(hook.url, ca_bundle=certificates.bundle))
    shown = re.sub(r"\d{4}-\d\d-\d\dT\S+Z", "T", said)
    assert shown == f'Post "https://127.0.0.1/hook": tls: failed to verify certificate: x509: {why}'


async def test_an_authority_of_the_same_name_is_hinted_at(
    calling: HookClient, certificate: bytes, certificates: Certificates
) -> None:
    with listening(certificate, lambda _: http(b"{}")) as hook:
        said = await refused(calling, ClientConfig(hook.url, ca_bundle=Certificates.make().bundle))
    assert said.endswith(
        'x509: certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while '
        'trying to verify candidate authority certificate "authority")'
    )


@pytest.mark.parametrize(
    ("bundle", "why"),
    [
        (b"none", "unable to parse bytes as PEM block"),
        (b"-----BEGIN X-----\nAAAA\n-----END X-----\n", "no valid certificate authority data seen"),
        (
            b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "failed to parse certificate: x509: malformed certificate",
        ),
    ],
)
async def test_a_bundle_without_certificates_is_refused(calling: HookClient, bundle: bytes, why: str) -> None:
    with pytest.raises(ConfigurationRefused, match=f"unable to load root certificates: {why}"):
        await calling.post(ClientConfig("https://127.0.0.1:1/", ca_bundle=bundle), b"{}", 1)
