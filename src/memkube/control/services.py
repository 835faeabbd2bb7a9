"""``/services``: servers outside that answer for services, to webhooks and extension API servers."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from memkube.apimachinery.errors import ApiError, GroupResource, not_found
from memkube.control.server_parts import ServerParts
from memkube.hooks.services import Listener, ServicePort
from memkube.registry.replicas.shared_listeners import delete_listener, put_listener

_Name = Annotated[str, Path(max_length=253, pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")]
_Port = Annotated[int, Path(ge=1, le=65535)]


class ServiceListener(BaseModel):
    """The address of a server outside."""

    model_config = ConfigDict(extra="forbid")

    host: str = Field(default="127.0.0.1", min_length=1, max_length=253, description="Name or address of the host.")
    port: int = Field(ge=1, le=65535, description="Port on which it listens, with TLS.")


class NamedListener(BaseModel):
    """A port of a service, which need not exist, and the server that answers for it."""

    namespace: str
    name: str
    port: int
    listener: ServiceListener


class ListenerList(BaseModel):
    """All servers outside, by service."""

    items: list[NamedListener]


def services_router(parts: ServerParts) -> APIRouter:
    """Return the routes that show, add and remove servers outside."""
    router = APIRouter(prefix="/services", tags=["services"])
    registry, listeners = parts.registry, parts.listeners

    @router.get("")
    async def show_all() -> ListenerList:
        """Lists the ports that servers outside answer for."""
        return ListenerList(
            items=[
                NamedListener(namespace=s.namespace, name=s.name, port=s.port, listener=_shown(listener))
                for s, listener in listeners.items()
            ]
        )

    @router.get("/{namespace}/{name}/{port}")
    async def show(namespace: _Name, name: _Name, port: _Port) -> ServiceListener:
        """Shows the server that answers for a port."""
        listener = listeners.get(ServicePort(namespace, name, port))
        if listener is None:
            raise unknown_service(namespace, name, port)
        return _shown(listener)

    @router.put("/{namespace}/{name}/{port}")
    async def put(namespace: _Name, name: _Name, port: _Port, listener: ServiceListener) -> ServiceListener:
        """Routes calls of the port to this server, from the next connection on."""
        service = ServicePort(namespace, name, port)
        await put_listener(registry.shared_state, service, Listener(listener.host, listener.port))
        return listener

    @router.delete("/{namespace}/{name}/{port}", status_code=204)
    async def delete(namespace: _Name, name: _Name, port: _Port) -> Response:
        """Routes calls of the port to the service again."""
        try:
            await delete_listener(registry.shared_state, ServicePort(namespace, name, port))
        except KeyError:
            raise unknown_service(namespace, name, port) from None
        return Response(status_code=204)

    return router


def _shown(listener: Listener) -> ServiceListener:
    return ServiceListener(host=listener.host, port=listener.port)


def unknown_service(namespace: str, name: str, port: int) -> ApiError:
    """Return the ApiError 404 for a port that no server outside answers for."""
    return not_found(GroupResource("", "services"), f"{namespace}/{name}:{port}")
