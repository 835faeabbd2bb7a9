"""Applies injected faults to HTTP requests: delays, errors and dropped connections."""

from time import monotonic
from typing import Final, NoReturn

from starlette.types import ASGIApp, Message, Send

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.errors import ApiError
from memkube.endpoints.handlers.resource_request import Endpoint, ResourceRequest
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.bodies import JsonData, body_media_type, read_object
from memkube.endpoints.responses.responses import BytesResponse, refused, retry_after, text_response
from memkube.faults.active import ConnectionDropped
from memkube.faults.refusals import TextRefusal
from memkube.registry.fault_injection import MAX_WAIT, apply_request_faults
from memkube.registry.reads.listing import expired_list
from memkube.registry.registry import Registry

_GONE: Final = 410
_MOMENT: Final = 0.05


async def answer_with_faults(endpoint: Endpoint, request: ResourceRequest) -> ASGIApp:
    """Return the endpoint's response to a request for a resource, unless a fault ends the request.

    Raises ApiError if a fault answers with an error, and ConnectionDropped if a fault drops the connection.
    """
    if request.registry.faults.looks_at_names and request.method == "POST" and not request.address.name:
        request.posted_name = await _posted_name(request)
    try:
        version, max_wait = request.parameter("resourceVersion"), _max_wait(request.deadline)
        loses_answer = await apply_request_faults(request.registry, request, version, max_wait)
    except TextRefusal as error:
        return _text(error)
    except ApiError as error:
        token = request.parameter("continue")
        raise expired_list(token) if token and error.code == _GONE else error from None
    answer = await endpoint(request)
    if loses_answer:
        raise ConnectionDropped
    return answer


async def serve_with_faults(registry: Registry, application: ASGIApp, request: ApiRequest, send: Send) -> None:
    """Serve a request that is not for a resource, such as ``/version``, with `application`, unless a fault ends it.

    Raises ConnectionDropped if a fault drops the connection.
    """
    scope, receive = request.scope, request.receive
    try:
        loses_answer = await apply_request_faults(registry, request)
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
    """ASGI ``send`` for a dropped response: raises ConnectionDropped, so that the client gets no response."""
    raise ConnectionDropped


def _max_wait(deadline: float | None) -> float:
    """Return for how many seconds of real time a request that a fault delays may wait.

    It waits until a client advances the server's clock. If the request has a deadline, the wait ends shortly before it,
    so that the request fails in time.
    """
    return MAX_WAIT if deadline is None else min(MAX_WAIT, max(deadline - monotonic() - _MOMENT, 0))


async def _posted_name(request: ResourceRequest) -> str:
    """Return the name of the object in the request's body; "" if the body is malformed.

    The endpoint can read the body again afterwards.
    """
    body = await request.body()

    async def again() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    request.receive = again
    try:
        media_type = body_media_type(request.header(b"content-type"))
        encoded = read_object(body, media_type, request.registry.catalog.messages)
        if isinstance(encoded, JsonData):
            metadata = encoded.data.get("metadata") if isinstance(encoded.data, dict) else None
            name = metadata.get("name") if isinstance(metadata, dict) else None
            return name if isinstance(name, str) else ""
        decoded = encoded.decode(request.resource.form).value
        return str(decoded.metadata.name)
    except (ApiError, DecodeError):
        return ""
