"""Invalid requests: each part of a request may have a value that is not allowed there."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

DOCUMENTS: Final = Path(__file__).parents[1] / "openapi"
_NAMES: Final = st.sampled_from(
    ["default", "kube-system", "a", "web-1", "node-1", "system:admin", "A", "a" * 254, "..", "%00"]
)
_METHODS: Final = st.sampled_from(
    [
        "GET",
        "GET",
        "POST",
        "POST",
        "PUT",
        "PATCH",
        "PATCH",
        "DELETE",
        "HEAD",
        "OPTIONS",
        "CONNECT",
        "TRACE",
        "BREW",
        "get",
    ]
)
_OTHER_PATHS: Final = (
    *("/", "/api", "/apis", "/healthz", "/livez", "/readyz", "/version", "/metrics", "/openapi/v2", "/openapi/v3"),
    *("/openapi/v3/api/v1", "//api/v1/pods", "/api/v1/", "/apis/none/v1/things", "/docs", "/logs", "/.well-known/x"),
    "/api/v1/namespaces/default/pods/a/exec",
)
_MEDIA_TYPES: Final = st.sampled_from(
    [
        *(
            "application/json",
            "application/yaml",
            "application/vnd.kubernetes.protobuf",
            "application/cbor",
            "text/plain",
        ),
        *("application/merge-patch+json", "application/json-patch+json", "application/strategic-merge-patch+json"),
        *("application/apply-patch+yaml", "application/json;as=Table;v=v1;g=meta.k8s.io", "*/*", "a/b;c", ";", "é"),
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
    ]
)
_OPTIONS: Final = (
    *(
        "watch",
        "resourceVersion",
        "resourceVersionMatch",
        "limit",
        "continue",
        "labelSelector",
        "fieldSelector",
        "dryRun",
    ),
    *(
        "fieldManager",
        "fieldValidation",
        "force",
        "pretty",
        "timeoutSeconds",
        "timeout",
        "sendInitialEvents",
        "command",
    ),
    *("allowWatchBookmarks", "propagationPolicy", "gracePeriodSeconds", "container", "tailLines", "sinceTime", "path"),
    *("includeObject", "follow", "previous", "stdin", "ports", "orphanDependents", "limitBytes", "x"),
)
_VALUES: Final = st.one_of(
    st.sampled_from(["", "0", "1", "true", "All", "NotOlderThan", "Exact", "Strict", "-1", "a=b", "a in (b,c)", "!a"]),
    st.sampled_from(
        ["99999999999999999999", "metadata.name=a", "Background", "1e9", "0x1", "2020-01-01T00:00:00Z", "a,,b"]
    ),
    st.text(max_size=8),
)
_FIELDS: Final = st.sampled_from(
    [
        *(
            "kind",
            "apiVersion",
            "metadata",
            "spec",
            "status",
            "data",
            "name",
            "namespace",
            "labels",
            "annotations",
            "uid",
        ),
        *(
            "generateName",
            "ownerReferences",
            "finalizers",
            "managedFields",
            "resourceVersion",
            "containers",
            "image",
            "op",
        ),
        *(
            "path",
            "value",
            "from",
            "preconditions",
            "$patch",
            "$setElementOrder/containers",
            "rules",
            "type",
            "replicas",
        ),
        *("template", "selector", "matchLabels", "ports", "port", "protocol", "creationTimestamp", "deletionTimestamp"),
    ]
)
_SCALARS: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 65), 1 << 65),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(
        ["v1", "Pod", "ConfigMap", "apps/v1", "Deployment", "a", "10m", "100Mi", "add", "/metadata/labels", "http"]
    ),
)
_JSON: Final = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_FIELDS, inner, max_size=4), max_leaves=12
)
_KINDS: Final = (("v1", "Pod"), ("v1", "ConfigMap"), ("v1", "Service"), ("apps/v1", "Deployment"), ("batch/v1", "Job"))


@st.composite
def _objects(draw: st.DrawFn) -> Any:
    """Objects that begin with the fields of a real one."""
    version, kind = draw(st.sampled_from(_KINDS))
    body = draw(st.dictionaries(_FIELDS, _JSON, max_size=3))
    return {"apiVersion": version, "kind": kind, "metadata": {"name": draw(_NAMES)}} | body


_PATCHES: Final = st.lists(
    st.fixed_dictionaries({"op": st.sampled_from(["add", "remove", "test", "copy", "x"]), "path": st.text(max_size=9)}),
    max_size=3,
)
_BODIES: Final = st.one_of(
    st.just(b""),
    (_objects() | _JSON | _PATCHES).map(lambda value: json.dumps(value).encode(errors="surrogatepass")),
    st.binary(max_size=60),
    st.binary(max_size=60).map(lambda data: b"k8s\0" + data),
    # A protobuf envelope: apiVersion, kind, and arbitrary bytes.
    st.binary(max_size=60).map(lambda data: b"k8s\0\n\x0d\n\x02v1\x12\x07" + b"PodList"[:7] + b"\x12" + data),
    st.sampled_from(
        [b"a: &a [*a]", b"a: !!python/none x", b"- " * 300, b"{" * 2000, b'{"a":' * 2000, b"\xef\xbb\xbf{}"]
    ),
)
_HEADERS: Final = st.one_of(
    st.tuples(st.just("Impersonate-User"), _VALUES),
    st.tuples(st.just("Impersonate-Group"), _VALUES),
    st.tuples(st.just("Authorization"), st.sampled_from(["Bearer x", "Basic eA==", "Bearer a.b.c", ""])),
    st.tuples(st.just("Connection"), st.sampled_from(["Upgrade", "close", "keep-alive, Upgrade"])),
    st.tuples(st.just("Upgrade"), st.sampled_from(["websocket", "SPDY/3.1", "h2c"])),
    st.tuples(st.just("Sec-WebSocket-Key"), st.sampled_from(["dGhlIHNhbXBsZSBub25jZQ==", "x"])),
    st.tuples(st.just("Sec-WebSocket-Version"), st.sampled_from(["13", "8"])),
    st.tuples(st.just("Sec-WebSocket-Protocol"), st.sampled_from(["v5.channel.k8s.io", "v4.channel.k8s.io", "x"])),
    st.tuples(st.just("X-Stream-Protocol-Version"), st.sampled_from(["v4.channel.k8s.io", "x"])),
    st.tuples(st.just("Content-Encoding"), st.sampled_from(["gzip", "x"])),
    st.tuples(st.just("Accept-Encoding"), st.sampled_from(["gzip", "x", "gzip;q=0"])),
    st.tuples(st.just("If-None-Match"), _VALUES),
    st.tuples(st.just("Expect"), st.sampled_from(["100-continue", "x"])),
)


def documented(folder: Path = DOCUMENTS) -> Sequence[str]:
    """Return the paths of all OpenAPI documents except the control API's, with the names of their parameters."""
    found: set[str] = set()
    for path in sorted(folder.glob("api*.json")):
        found.update(json.loads(path.read_text())["paths"])
    return sorted(found)


def request_bytes(
    method: str, path: str, parameters: Mapping[str, object], query: Mapping[str, str], body: bytes
) -> bytes:
    """Return a request with a JSON body, or a patch if the method is PATCH; watches have a short timeout."""
    for name, value in parameters.items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe="", errors="replace"))
    options = {**query, "timeoutSeconds": "1"} if query.get("watch") == "true" else query
    text = "&".join(f"{key}={quote(value, errors='replace')}" for key, value in options.items())
    head = [f"{method.upper()} {path}{'?' if text else ''}{text} HTTP/1.1", "Host: proof", "Accept: application/json"]
    if body:
        media_type = "application/merge-patch+json" if method.upper() == "PATCH" else "application/json"
        head += [f"Content-Type: {media_type}", f"Content-Length: {len(body)}"]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


@st.composite
def _targets(draw: st.DrawFn, paths: Sequence[str]) -> str:
    path = draw(st.sampled_from(paths) | st.sampled_from(_OTHER_PATHS))
    for parameter in ("{namespace}", "{name}", "{path}", "{logpath}"):
        if parameter in path:
            path = path.replace(parameter, draw(_NAMES))
    query = draw(st.lists(st.tuples(st.sampled_from(_OPTIONS), _VALUES), max_size=3))
    if "watch" in dict(query):
        query.append(("timeoutSeconds", "1"))
    return path + ("?" if query else "") + "&".join(f"{key}={quote(value, errors='replace')}" for key, value in query)


@st.composite
def raw_requests(draw: st.DrawFn, paths: Sequence[str]) -> bytes:
    """Strategy for the bytes of one request; in one of five, some bytes are replaced."""
    method, target = draw(_METHODS), draw(_targets(paths))
    body: bytes = draw(_BODIES)
    head = [f"{method} {target} HTTP/1.1", "Host: proof"]
    headers: Iterable[tuple[str, str]] = draw(st.lists(_HEADERS, max_size=2))
    head += [f"{name}: {_line(value)}" for name, value in headers]
    head += [f"Accept: {draw(_MEDIA_TYPES)}"] if draw(st.booleans()) else []
    if body:
        head += [f"Content-Type: {draw(_MEDIA_TYPES)}", f"Content-Length: {len(body)}"]
    data = "\r\n".join(head).encode() + b"\r\n\r\n" + body
    if draw(st.integers(0, 4)):
        return data
    start = draw(st.integers(0, len(data)))
    return data[:start] + draw(st.binary(max_size=8)) + data[start + draw(st.integers(0, 8)) :]


def _line(value: str) -> str:
    return "".join(each if " " <= each <= "~" else "?" for each in value)


def batches(paths: Sequence[str], size: int) -> SearchStrategy[list[bytes]]:
    """Strategy for lists of requests to send concurrently."""
    return st.lists(raw_requests(paths), min_size=size, max_size=size)
