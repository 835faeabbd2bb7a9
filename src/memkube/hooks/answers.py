"""Decoding of webhook responses, with the errors of client-go (``Into`` and ``transformResponse`` in ``rest``)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from memkube.apimachinery.decoding import DecodeError, parse_json, probe_type, type_meta_error
from memkube.apimachinery.decoding.yaml_body import read_yaml
from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.forms import Form
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.protobuf import Messages, open_envelope
from memkube.apimachinery.shown_values import quoted
from memkube.hooks.client import Answer
from memkube.hooks.configuration import HookFailed

M = TypeVar("M", bound=ApiModel)
_SCHEME: Final = 'in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"'
_MOST_QUOTED_BYTES: Final = 2048
_UNVERSIONED: Final = {"Status", "APIVersions", "APIGroup", "APIGroupList", "APIResourceList"}
_OF_EACH_VERSION: Final = {
    "CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent",
}  # fmt: skip
_MEDIA_TYPE: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+(/[!#$%&'*+.^_`|~0-9A-Za-z-]+)?[ \t]*(;|$)")
_SAID: Final = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    409: "the server reported a conflict",
    422: "the server rejected our request due to an error in our request",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: "the server was unable to return a response in the time allotted, but may still be processing the request",
}


@dataclass(frozen=True, slots=True)
class ExpectedKind:
    """Kind that a webhook's response must have, and all kinds that Kubernetes can decode in such a response."""

    api_version: str
    kind: str
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Kinds that Kubernetes can decode in the response, by apiVersion."""


def decode_answer(answer: Answer, form: Form[M], expected: ExpectedKind) -> M:
    """Decode the object in the webhook response `answer` with the decoder `form`.

    Missing apiVersion and kind default to the expected ones, and unknown fields are ignored. Raises HookFailed if the
    status code is an error, or the body is not an object of the expected kind.
    """
    _check_media_type(answer)
    if not 200 <= answer.status <= 206 and answer.status != 101:
        raise HookFailed(_status_message(answer) or _generic_message(answer))
    if not answer.body:
        content_type = _content_type(answer)
        raise HookFailed(f"0-length response with status code: {answer.status} and content type: {content_type}")
    try:
        api_version, kind, decode = _opened(answer.body, form)
        api_version, kind = api_version or expected.api_version, kind or expected.kind
        if (api_version, kind) != (expected.api_version, expected.kind):
            raise DecodeError(_mistaken(api_version, kind, expected))
        return decode()
    except DecodeError as error:
        raise HookFailed(error.message) from None


def _opened(body: bytes, form: Form[M]) -> tuple[str, str, Callable[[], M]]:
    """Return apiVersion and kind of a response body, and a function that decodes the object in the body.

    `form` declares the model that the function returns. Raises DecodeError if the body cannot be parsed.
    """
    if body.startswith(b"k8s\0"):
        envelope = open_envelope(body)
        return (
            envelope.api_version,
            envelope.kind,
            lambda: form.decode(Messages(go_package).decode(form.struct, envelope.message)).value,
        )
    data, text = _data(body)
    api_version, kind = probe_type(data)
    return api_version, kind, lambda: form.decode({} if data is None else data, text).value


def _data(body: bytes) -> tuple[Any, bytes | None]:
    """Parse a body as JSON if it starts with ``{``, otherwise as YAML. Raises DecodeError if it is malformed.

    Returns the data, and the JSON text (None for YAML).
    """
    if not body.lstrip().startswith(b"{"):
        return read_yaml(body).data, None
    try:
        return parse_json(body), body
    except DecodeError as error:
        raise type_meta_error(error.message) from None


def _mistaken(api_version: str, kind: str, expected: ExpectedKind) -> str:
    known = kind in _UNVERSIONED and api_version == "v1"
    known = known or (kind in _OF_EACH_VERSION and api_version in expected.known)
    if known or kind in expected.known.get(api_version, ()):
        found, wanted = api_version.rpartition("/")[2], expected.api_version.rpartition("/")[2]
        return f"converting ({found}.{kind}) to ({wanted}.{expected.kind}): unknown conversion"
    return f"no kind {quoted(kind)} is registered for version {quoted(api_version)} {_SCHEME}"


def _status_message(answer: Answer) -> str | None:
    """Return the message of the Status in an error response; None if the body is not a Status with status Failure."""
    if not answer.body:
        return None
    try:
        data, _ = _data(answer.body)
        api_version, kind = probe_type(data)
    except DecodeError:
        return None
    if kind != "Status" or api_version not in ("", "v1") or data.get("status") != "Failure":
        return None
    message = data.get("message", "")
    return message if isinstance(message, str) else None


def _generic_message(answer: Answer) -> str:
    """Return client-go's generic message for an HTTP status code (``NewGenericServerResponse``)."""
    code, said = answer.status, "unknown"
    if _content_type(answer, "text/").lower().startswith("text/"):
        said = answer.body[:_MOST_QUOTED_BYTES].decode("utf-8", "replace").strip()
    if code in _SAID:
        return _SAID[code]
    if code in (403, 415) or (code == 406 and said not in ("", "unknown")):
        return said
    if code == 406:
        return "the server was unable to respond with a content type that the client supports"
    if code >= 500:
        return f"an error on the server ({quoted(said)}) has prevented the request from succeeding"
    return f"the server responded with the status code {code} but did not return more information"


def _content_type(answer: Answer, default: str = "application/json") -> str:
    return answer.headers.get("content-type", "") or default


def _check_media_type(answer: Answer) -> None:
    """Raise HookFailed if the Content-Type is malformed (Go's ``mime.ParseMediaType``)."""
    content_type = _content_type(answer)
    if not _MEDIA_TYPE.match(content_type):
        base = content_type.partition(";")[0].strip()
        why = "mime: no media type" if not base else "mime: unexpected content after media subtype"
        if "/" in base and not base.partition("/")[2]:
            why = "mime: expected token after slash"
        elif base.startswith("/"):
            why = "mime: no media type"
        raise HookFailed(f"Internal error occurred: {why}")
    rest = content_type.partition(";")[2]
    names: list[str] = []
    for parameter in filter(str.strip, rest.split(";")):
        name, equals, value = parameter.strip().partition("=")
        if not equals or not name or not value:
            raise HookFailed("Internal error occurred: mime: invalid media parameter")
        if name.lower() in names:
            raise HookFailed("Internal error occurred: mime: duplicate parameter name")
        names.append(name.lower())
