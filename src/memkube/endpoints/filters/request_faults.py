"""Faults that come over HTTP requests: asked for only where there are rules."""

from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Final, NoReturn

from starlette.types import ASGIApp, Message, Send

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.errors import ApiError
from memkube.endpoints.handlers.scope import Scope
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.bodies import JsonData, body_media_type, read_object
from memkube.endpoints.responses.responses import BytesResponse, refused, retry_after, text_response
from memkube.faults.active import ConnectionDropped
from memkube.faults.refusals import TextRefusal
from memkube.faults.rules import Asked
from memkube.registry.reads.listing import expired_list
from memkube.registry.registry import Registry
from memkube.registry.request_faults import PATIENCE, hinder

_GONE: Final = 410
_MOMENT: Final = 0.05


class RequestAsker:
    """An HTTP request as faults see it (the reference's RequestInfo)."""

    def __init__(self, request: ApiRequest) -> None:
        self._request = request
        self.name = ""
        """The name of a new object, where that has been looked for."""

    def asked(self) -> Asked:
        """See Asker."""
        record = self._request.record
        target = record.target
        return Asked(
            verb=record.verb,
            path=record.path,
            group=target.group,
            resource="/".join(filter(None, (target.resource, target.subresource))),
            namespace=target.namespace,
            name=record.name or self.name,
            user=record.user.name,
            user_agent=record.user_agent,
        )

    def was_hit(self, fault: str) -> None:
        """Notes it in the log of requests."""
        self._request.record.hit_by(fault)


async def hindered(handler: Callable[[Scope], Awaitable[ASGIApp]], scope: Scope) -> ASGIApp:
    """What the handler answers, where the faults let it. Raises ApiError and ConnectionDropped."""
    request, asker = scope.request, RequestAsker(scope.request)
    if scope.registry.faults.looks_at_names and request.method == "POST" and not scope.address.name:
        asker.name = await _posted_name(scope)
    try:
        version, patience = request.parameter("resourceVersion"), _patience(scope.deadline)
        loses_answer = await hinder(scope.registry, asker, version, patience)
    except TextRefusal as error:
        return _text(error)
    except ApiError as error:
        token = request.parameter("continue")
        raise expired_list(token) if token and error.code == _GONE else error from None
    answer = await handler(scope)
    if loses_answer:
        raise ConnectionDropped
    return answer


async def hindered_elsewhere(registry: Registry, application: ASGIApp, request: ApiRequest, send: Send) -> None:
    """Hands on a request that is not about this server's own resources, unless a fault is against it.

    Raises ConnectionDropped.
    """
    scope, receive = request.scope, request.receive
    try:
        loses_answer = await hinder(registry, RequestAsker(request))
    except ApiError as error:
        refusal = _text(error) if isinstance(error, TextRefusal) else refused(request, error)
        await refusal(scope, receive, send)
    else:
        await application(scope, receive, _lose if loses_answer else send)


def _text(error: TextRefusal) -> BytesResponse:
    response = text_response(f"{error.message}\n", error.code)
    response.raw_headers.append((b"retry-after", retry_after(error).encode()))
    return response


async def _lose(_: Message) -> NoReturn:
    """Takes the place of whatever sends the answer."""
    raise ConnectionDropped


def _patience(deadline: float | None) -> float:
    """How long a request may wait for a clock that stands still: to say so, it has to come before its deadline."""
    return PATIENCE if deadline is None else min(PATIENCE, max(deadline - monotonic() - _MOMENT, 0))


async def _posted_name(scope: Scope) -> str:
    """The name of the object in the body, which can be read again; none where it cannot be made out."""
    request, body = scope.request, await scope.request.body()

    async def again() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    request.receive = again
    try:
        media_type = body_media_type(request.header(b"content-type"))
        encoded = read_object(body, media_type, scope.registry.catalog.messages)
        if isinstance(encoded, JsonData):
            metadata = encoded.data.get("metadata") if isinstance(encoded.data, dict) else None
            name = metadata.get("name") if isinstance(metadata, dict) else None
            return name if isinstance(name, str) else ""
        decoded = encoded.decode(scope.resource.form).value
        return str(decoded.metadata.name)
    except (ApiError, DecodeError):
        return ""
