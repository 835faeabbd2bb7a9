import logging
import socket
from collections.abc import Iterator

import httpx
import pytest

from memkube.server.server import Server
from tests.endpoints.answers import assert_refused, status_of

_JSON = "application/json"
_YAML = "application/yaml"
_DEEP = 1000
_ALIAS_BOMB = b"a: &a [x, x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (name, name, b", ".join([b"*%c" % (name - 1)] * 10)) for name in range(ord("b"), ord("z"))
)


@pytest.fixture(autouse=True)
def _nothing_is_logged(caplog: pytest.LogCaptureFixture, client: httpx.Client) -> Iterator[None]:
    """Check after each test that the server has logged no error."""
    with caplog.at_level(logging.INFO, logger="memkube"):
        yield
    # Messages about slow requests are ignored, because any request is slow on a busy machine.
    logged = [record.name for record in caplog.records if record.name != "memkube.trace"]
    assert not [name for name in logged if name.startswith("memkube")]
    assert client.get("/readyz").text == "ok"


def _pods(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods"


BODIES = {
    "empty": b"",
    "a word": b"pod",
    "an open object": b'{"metadata":',
    "a trailing comma": b'{"metadata":{},}',
    "two documents": b"{}{}",
    "a list": b"[]",
    "a number": b"1",
    "a string": b'"pod"',
    "invalid UTF-8": b'{"metadata":{"name":"\xff\xfe"}}',
    "half a surrogate": b'{"metadata":{"name":"\\ud800"}}',
    "a null byte": b'{"metadata":{"name":"a\\u0000b"}}',
    "a byte order mark": b"\xef\xbb\xbf{}",
    "NaN": b'{"metadata":{"generation":NaN}}',
    "an infinite number": b'{"metadata":{"generation":1e999}}',
    "a number of 5000 digits": b'{"metadata":{"generation":%s}}' % (b"9" * 5000),
    "a number beyond int64": b'{"metadata":{"generation":9223372036854775808}}',
    "a quantity with a huge exponent": b'{"spec":{"containers":[{"resources":{"limits":{"cpu":"1e999999999"}}}]}}',
    "arrays in arrays": b'{"metadata":%s%s}' % (b"[" * _DEEP, b"]" * _DEEP),
    "objects in objects": b'{"spec":%s1%s}' % (b'{"a":' * _DEEP, b"}" * _DEEP),
    "very deep arrays": b"[" * 100_000,
    "a wrong kind": b'{"kind":"Namespace","apiVersion":"v1"}',
    "a kind that is no text": b'{"kind":{}}',
    "metadata that is no object": b'{"metadata":[]}',
    "a time that is none": b'{"metadata":{"name":"a","creationTimestamp":"yesterday"}}',
}


@pytest.mark.parametrize("media_type", [_JSON, _YAML])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_bad_body_is_refused(client: httpx.Client, namespace: str, body: bytes, media_type: str) -> None:
    assert_refused(client.post(_pods(namespace), content=body, headers={"Content-Type": media_type}))


YAML_BODIES = {
    "an alias bomb": _ALIAS_BOMB,
    "an anchor inside itself": b"metadata: &a\n  labels: *a\n",
    "an unknown alias": b"metadata: *a\n",
    "a tag": b"metadata: !!python/object/apply:os.system ['true']\n",
    "a tab": b"metadata:\n\tname: a\n",
    "two documents": b"a: 1\n---\nb: 2\n",
    "deep flow lists": b"metadata: " + b"[" * _DEEP,
    "deep flow maps": b"{a: " * _DEEP + b"}" * _DEEP,
    "deep block lists": b"- " * _DEEP + b"a",
    "deep block maps": b"".join(b" " * depth + b"a:\n" for depth in range(_DEEP)),
    "a complex key": b"? [a, b]\n: c\n",
    "a control character": b"metadata:\n  name: \x07\n",
    "a date as a name": b"metadata:\n  name: 2001-01-01\n  labels: 3\n",
}


@pytest.mark.parametrize("body", YAML_BODIES.values(), ids=YAML_BODIES)
def test_bad_yaml_is_refused(client: httpx.Client, namespace: str, body: bytes) -> None:
    assert_refused(client.post(_pods(namespace), content=body, headers={"Content-Type": _YAML}))


PATCHES = {
    "json-patch": [b"", b"{}", b"[1]", b'[{"op":"fly"}]', b'[{"op":"add","path":"no slash","value":1}]', b"[" * _DEEP],
    "merge-patch": [b"", b"[]", b"1", b'{"metadata":1}', b'{"a":' * _DEEP, b'{"metadata":{"labels":{"a":"\xff"}}}'],
    "strategic-merge-patch": [b"", b"[]", b'{"metadata":1}', b'{"a":' * _DEEP, b'{"metadata":null,"metadata":3}'],
    "apply-patch": [b"[]", b"a: *b", _ALIAS_BOMB, b"{a: " * _DEEP, b"\xff\xfe"],
}


@pytest.fixture
def config_map(client: httpx.Client, namespace: str) -> str:
    collection = f"/api/v1/namespaces/{namespace}/configmaps"
    client.post(collection, json={"metadata": {"name": "a"}}).raise_for_status()
    return f"{collection}/a"


@pytest.mark.parametrize(
    ("validation", "code", "told"),
    [
        ("Strict", 422, '": strict decoding error: unknown field "metadata"'),
        ("Ignore", 400, "the name of the object (a based on URL) was undeterminable: name must be provided"),
    ],
)
def test_what_a_patch_leaves_without_a_version_has_no_fields(
    client: httpx.Client, config_map: str, validation: str, code: int, told: str
) -> None:
    headers = {"Content-Type": "application/merge-patch+json"}
    params = {"fieldValidation": validation}
    answer = client.patch(config_map, json={"apiVersion": None}, headers=headers, params=params)
    assert answer.status_code == code
    assert answer.json()["message"].endswith(told)


@pytest.mark.parametrize(("kind", "body"), [(kind, body) for kind, bodies in PATCHES.items() for body in bodies])
def test_a_bad_patch_is_refused(client: httpx.Client, config_map: str, kind: str, body: bytes) -> None:
    suffix = "yaml" if kind == "apply-patch" else "json"
    headers = {"Content-Type": f"application/{kind}+{suffix}"}
    assert_refused(client.patch(config_map, params={"fieldManager": "test"}, content=body, headers=headers))


@pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "multipart/form-data", "json", ";;", "*/*"])
def test_an_unknown_content_type_is_refused(client: httpx.Client, namespace: str, media_type: str) -> None:
    answer = client.post(_pods(namespace), content=b"{}", headers={"Content-Type": media_type})
    assert_refused(answer)


@pytest.mark.parametrize("media_type", ["application/json", "text/plain", "application/merge-patch"])
def test_a_patch_of_an_unknown_kind_is_refused(client: httpx.Client, config_map: str, media_type: str) -> None:
    answer = client.patch(config_map, content=b"{}", headers={"Content-Type": media_type})
    assert_refused(answer)
    assert answer.status_code == 415


@pytest.mark.parametrize("verb", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_body_over_three_mebibytes_is_too_large(client: httpx.Client, config_map: str, verb: str) -> None:
    path = config_map.rpartition("/")[0] if verb == "POST" else config_map
    media_type = "application/merge-patch+json" if verb == "PATCH" else _JSON
    body = b'{"data":{"a":"%s"}}' % (b"x" * 3 * 1024 * 1024)
    answer = client.request(verb, path, content=body, headers={"Content-Type": media_type})
    assert answer.status_code == 413
    assert status_of(answer)["reason"] == "RequestEntityTooLarge"


def test_a_body_of_chunks_without_end_is_too_large(client: httpx.Client, namespace: str) -> None:
    chunks = (b"x" * 65536 for _ in range(64))
    assert client.post(_pods(namespace), content=chunks, headers={"Content-Type": _JSON}).status_code == 413


def test_a_client_that_hangs_up_inside_its_body_harms_nobody(server: Server, namespace: str) -> None:
    with socket.create_connection((server.host, server.port), timeout=60) as connection:
        head = f"POST {_pods(namespace)} HTTP/1.1\r\nHost: x\r\nContent-Type: {_JSON}\r\nContent-Length: 1000\r\n\r\n"
        connection.sendall(head.encode() + b'{"metadata":{"name":"half"')
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4096):
            pass


def test_half_a_body_creates_nothing(server: Server, client: httpx.Client, namespace: str) -> None:
    body = b'{"metadata":{"name":"half"}}'
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {_JSON}\r\nContent-Length: {len(body) + 1}\r\n\r\n"
    with socket.create_connection((server.host, server.port), timeout=60) as connection:
        connection.sendall(head.encode() + body)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4096):
            pass
    assert client.get(path).json()["items"] == []


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/pods?limit=many",
        "/api/v1/pods?limit=99999999999999999999",
        "/api/v1/pods?labelSelector=%3D%3D%3D",
        "/api/v1/pods?labelSelector=a%20in%20(",
        "/api/v1/pods?fieldSelector=spec.color%3Dred",
        "/api/v1/pods?continue=%00%ff",
        "/api/v1/pods?continue=e30",
        "/api/v1/pods?resourceVersion=-1",
        "/api/v1/pods?resourceVersion=%F0%9F%98%80",
        "/api/v1/pods?watch=1&timeoutSeconds=soon",
        "/api/v1/pods?timeout=soon",
    ],
)
def test_a_bad_parameter_is_refused(client: httpx.Client, path: str) -> None:
    assert_refused(client.get(path))


@pytest.mark.parametrize(
    ("media_type", "message"),
    [
        ("application/merge-patch+json,text/plain", "the body of the request was in an unknown format"),
        ("application/merge-patch+json ;charset=utf-8", "the body of the request was in an unknown format"),
        ("text/plain,text/html", "415: Unsupported Media Type"),
    ],
)
def test_a_patch_has_one_media_type(client: httpx.Client, media_type: str, message: str) -> None:
    path = "/api/v1/namespaces/default"
    answer = client.patch(path, content=b"{}", headers={"content-type": media_type})
    assert (answer.status_code, answer.json()["message"].startswith(message)) == (415, True)
