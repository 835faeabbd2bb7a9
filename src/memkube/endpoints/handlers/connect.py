"""Connections to subresources such as ``log`` and ``exec``: streamed text, and upgrades to processes and ports."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, TypeAlias

from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from memkube.apimachinery.errors import ApiError, bad_request, forbidden
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.query import Query, flag, text
from memkube.apimachinery.schema import ListSchema, Scalar, Schema, struct_of
from memkube.endpoints.handlers.proxied_html import with_proxied_links
from memkube.endpoints.handlers.resource_request import ResourceRequest
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.request_attributes import attributes_of
from memkube.endpoints.responses.responses import text_response
from memkube.endpoints.streams.channels import (
    PORT_SUBPROTOCOLS,
    PROCESS_SUBPROTOCOLS,
    PROCESS_V5,
    ChannelProcess,
    serve_channel_ports,
)
from memkube.endpoints.streams.handshake import (
    Upgraded,
    asks_for_upgrade,
    can_upgrade,
    check_upgrade,
    choose_protocol,
    requested_protocols,
    tunneled_protocols,
)
from memkube.endpoints.streams.sessions import serve_process
from memkube.endpoints.streams.spdy import PORT_PROTOCOLS, PROCESS_PROTOCOLS, SpdyPorts, SpdyProcess
from memkube.endpoints.streams.websocket import TEXT_SUBPROTOCOLS, Socket, Subprotocol, choose_subprotocol, serve_text
from memkube.endpoints.transport import SPDY
from memkube.registry.declarations.authorization import NotAllowed
from memkube.registry.declarations.resource import ConnectSubresource
from memkube.registry.declarations.streaming import (
    ByteStream,
    HttpRequest,
    NodeUnreachable,
    PortConnections,
    PortForwarding,
    ProcessConnection,
    ProxiedServer,
    TextStream,
)

_OnSocket: TypeAlias = Callable[[Socket], Awaitable[None]]
_OnTransport: TypeAlias = Callable[[ByteStream], Awaitable[None]]


_NEEDS_CREATE: Final = frozenset({"attach", "exec", "portforward"})
"""Subresources of pods for which users need the right to create, even if the client connects with a GET."""


async def connection_response(request: ResourceRequest) -> ASGIApp:
    """Connect the client to a pod, service or node, and return the response.

    An error of the simulated kubelet is answered as a line of text instead of a Status, because kube-apiserver forwards
    the kubelet's response unchanged. Raises ApiError if the connection is refused, or if the kubelet cannot be reached.
    """
    address, subresource = request.address, request.subresource
    assert isinstance(subresource, ConnectSubresource)
    if address.subresource in _NEEDS_CREATE:
        await _check_may_create(request)
    options = _options(subresource, request)
    await request.store.admit_connection(subresource, address.name, options, request.write_context("", dry_run=False))
    connection = await subresource.connect(request.registry, address.namespace, address.name, request.query)
    if isinstance(connection, TextStream):
        return _text(request, connection)
    if isinstance(connection, ProxiedServer):
        return await _proxied(request, connection)
    if not asks_for_upgrade(request):
        raise bad_request("Upgrade request required")
    try:
        if isinstance(connection, ProcessConnection):
            return await _process(request, connection)
        return await _ports(request, connection)
    except NodeUnreachable:
        raise
    except ApiError as error:
        return text_response(error.message, error.code)


async def _check_may_create(request: ResourceRequest) -> None:
    """Raise ApiError 403 if the user may get but not create the subresource.

    Source: ``pkg/registry/core/pod/rest/authorize.go``.
    """
    attributes = attributes_of(request)
    if attributes.verb == "create":
        return
    creation = attributes._replace(verb="create")
    request.record.rights = (creation.right,)
    decision = await request.registry.kind_services.authorizer.decide(creation)
    if not decision.allowed:
        error = forbidden(request.address.group_resource, request.address.name, decision.reason)
        raise NotAllowed.of(error, creation.right)


def _options(subresource: ConnectSubresource, request: ResourceRequest) -> ApiModel | None:
    """Read the options of a subresource, such as PodExecOptions, from the query and the path of the request."""
    if not subresource.options_kind:
        return None
    query, model = request.query, subresource.options
    document: Document = {"kind": subresource.options_kind, "apiVersion": "v1"}
    for name, field in struct_of(model).fields.items():
        if name == "path" and subresource.has_path:
            rest = request.address.rest
            document[name] = f"/{rest}" if rest else ""
        elif name in query:
            document[name] = _value(field.schema, query, name)
    return model.from_document(document)


def _value(schema: Schema, query: Query, name: str) -> Any:
    if isinstance(schema, ListSchema):
        is_text = isinstance(schema.items, Scalar) and schema.items.type == "string"
        # Malformed port numbers are ignored here, because the subresource rejects the request when it connects.
        numbers = (digits for value in query[name] for digits in value.split(",") if digits.isdecimal())
        return query[name] if is_text else [int(digits) for digits in numbers]
    is_flag = isinstance(schema, Scalar) and schema.type == "bool"
    return flag(query, name) if is_flag else text(query, name)


def _text(request: ApiRequest, stream: TextStream) -> ASGIApp:
    if stream.body is None:
        return Response(status_code=204)
    body = _closing(stream.body)
    if request.scope["type"] != "websocket":
        return StreamingResponse(body, headers={"content-type": stream.media_type})
    try:
        chosen = _chosen(request.scope["subprotocols"], TEXT_SUBPROTOCOLS)
    except ApiError as error:
        return text_response(error.message, error.code)
    return _on_socket(chosen.name, lambda socket: serve_text(body, socket, chosen))


async def _proxied(request: ResourceRequest, server: ProxiedServer) -> ASGIApp:
    """Return the response of a proxied server (apimachinery ``util/proxy``).

    A GET without a path is redirected to the URL with a slash at the end. Location headers, and links in HTML, are
    rewritten to lead through the proxy. Raises ApiError if the server cannot be reached.
    """
    rest = f"/{request.address.rest}" if request.address.rest else ""
    if request.path.endswith("/") and not rest.endswith("/"):
        rest += "/"
    parameters = request.scope["query_string"].decode("latin-1")
    suffix = f"?{parameters}" if parameters else ""
    if not rest and request.method in ("GET", "HEAD"):
        return Response(status_code=301, headers={"location": f"{request.path}/{suffix}"})
    answer = await server.answer(HttpRequest((rest or "/") + suffix, request.method))
    prefix = request.path.removesuffix(rest)
    headers = {name.lower(): value for name, value in answer.all_headers}
    if headers.get("location", "").startswith("/"):
        headers["location"] = prefix + headers["location"]
    body = answer.body
    if headers.get("content-type", "").partition(";")[0].strip() == "text/html" and "location" not in headers:
        body = with_proxied_links(body, prefix)
    return Response(body, answer.status, headers)


async def _closing(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the pieces of `body`. If this iterator is closed because the client disconnects, `body` is closed too."""
    try:
        async for piece in body:
            yield piece
    finally:
        close = getattr(body, "aclose", None)
        if close is not None:
            await close()


async def _process(request: ApiRequest, connection: ProcessConnection) -> ASGIApp:
    session = await connection.open()
    if request.scope["type"] == "websocket":
        offered = request.scope["subprotocols"]
        supported = (PROCESS_V5,) if PROCESS_V5.name in offered else PROCESS_SUBPROTOCOLS
        chosen = _chosen(offered, supported)
        return _on_socket(
            chosen.name, lambda socket: serve_process(session, ChannelProcess(socket, chosen, connection))
        )
    protocol = choose_protocol(requested_protocols(request), PROCESS_PROTOCOLS)
    return _upgraded(
        request, protocol, lambda transport: serve_process(session, SpdyProcess(transport, protocol, connection))
    )


async def _ports(request: ApiRequest, connection: PortConnections) -> ASGIApp:
    if request.scope["type"] != "websocket":
        forward = await connection.open()
        protocol = choose_protocol(requested_protocols(request), PORT_PROTOCOLS)
        return _upgraded(request, protocol, lambda transport: SpdyPorts(forward, transport).serve())
    offered = request.scope["subprotocols"]
    tunneled = tunneled_protocols(offered)
    if tunneled:
        forward = await connection.open()
        protocol = choose_protocol(tunneled, PORT_PROTOCOLS)
        return _on_socket(f"{SPDY}+{protocol}", lambda socket: _tunnel(forward, socket))
    ports = _checked(connection)
    forward = await connection.open()
    chosen = _chosen(offered, PORT_SUBPROTOCOLS)
    return _on_socket(chosen.name, lambda socket: serve_channel_ports(forward, ports, socket, chosen))


async def _tunnel(forward: PortForwarding, socket: Socket) -> None:
    await SpdyPorts(forward, socket).serve()
    with suppress(OSError):
        await socket.close()


def _checked(connection: PortConnections) -> tuple[int, ...]:
    """Return the ports that the client wants to forward, after checking them.

    Raises ApiError 400 if the client names no port, or port 0.
    """
    if not connection.ports:
        raise bad_request('query parameter "port" is required')
    if 0 in connection.ports:
        raise bad_request(f'port "{",".join(map(str, connection.ports))}" must be > 0')
    return tuple(connection.ports)


def _chosen(offered: list[str], supported: tuple[Subprotocol, ...]) -> Subprotocol:
    """Return the WebSocket subprotocol to use: the first one that the client offers and this server supports.

    `offered` are the names of the offered subprotocols. Raises ApiError 403 with an empty message if none of them is in
    `supported`.
    """
    chosen = choose_subprotocol(offered, supported)
    if chosen is None:
        raise ApiError(403, "", "")
    return chosen


def _on_socket(subprotocol: str, serve: _OnSocket) -> ASGIApp:
    async def application(scope: AsgiScope, receive: Receive, send: Send) -> None:
        socket = Socket(receive, send)
        await socket.accept(subprotocol)
        await serve(socket)

    return application


def _upgraded(request: ApiRequest, protocol: str, serve: _OnTransport) -> ASGIApp:
    """Return an application that upgrades the connection to SPDY/3.1, and then calls `serve` with the connection.

    The response names `protocol`, the chosen version of the streaming protocol. Raises ApiError if the connection
    cannot be upgraded.
    """
    check_upgrade(request)
    if not can_upgrade(request.scope):
        raise ApiError(500, "", "unable to upgrade: unable to hijack response")

    async def application(scope: AsgiScope, receive: Receive, send: Send) -> None:
        transport = Upgraded(receive, send)
        headers = [(b"connection", b"Upgrade"), (b"upgrade", SPDY.encode())]
        await transport.accept([*headers, (b"x-stream-protocol-version", protocol.encode())])
        await serve(transport)

    return application
