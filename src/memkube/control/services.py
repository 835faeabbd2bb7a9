"""``/services``: servers outside of the cluster that memkube calls instead of Services.

They are webhooks and extension API servers, which a test usually runs.
"""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, Field

from memkube.apimachinery.errors import ApiError, GroupResource, not_found
from memkube.apimachinery.strict_model import StrictModel
from memkube.control.server_parts import ServerParts
from memkube.faults.names import NAME_PATTERN
from memkube.hooks.services import Listener, ServicePort
from memkube.registry.replicas.shared_listeners import delete_listener, put_listener

_Name = Annotated[str, Path(max_length=253, pattern=NAME_PATTERN)]
_Port = Annotated[int, Path(ge=1, le=65535)]


class ServiceListener(StrictModel):
    """Address of a server outside of the cluster that memkube calls instead of a Service."""

    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        max_length=253,
        description="Name or IP address of the host on which the server runs.",
    )
    port: int = Field(ge=1, le=65535, description="Port on which the host listens, with TLS.")


class NamedListener(BaseModel):
    """A port of a Service, which need not exist, and the server outside of the cluster to which it is redirected."""

    namespace: str
    name: str
    port: int
    listener: ServiceListener


class ListenerList(BaseModel):
    """All Service ports that are redirected to servers outside of the cluster."""

    items: list[NamedListener]


def services_router(parts: ServerParts) -> APIRouter:
    """Return the routes that show, add and remove the servers that memkube calls instead of Services."""
    router = APIRouter(prefix="/services", tags=["services"])
    registry, listeners = parts.registry, parts.listeners

    @router.get("")
    async def show_all() -> ListenerList:
        """Lists the Service ports that are redirected to servers outside of the cluster."""
        return ListenerList(
            items=[
                NamedListener(namespace=s.namespace, name=s.name, port=s.port, listener=_shown(listener))
                for s, listener in listeners.items()
            ]
        )

    @router.get("/{namespace}/{name}/{port}")
    async def show(namespace: _Name, name: _Name, port: _Port) -> ServiceListener:
        """Shows the server outside of the cluster to which a Service port is redirected."""
        listener = listeners.get(ServicePort(namespace, name, port))
        if listener is None:
            raise unknown_service(namespace, name, port)
        return _shown(listener)

    @router.put("/{namespace}/{name}/{port}")
    async def put(namespace: _Name, name: _Name, port: _Port, listener: ServiceListener) -> ServiceListener:
        """Redirects a Service port to a server outside of the cluster, from memkube's next connection on."""
        service = ServicePort(namespace, name, port)
        await put_listener(registry.shared_state, service, Listener(listener.host, listener.port))
        return listener

    @router.delete("/{namespace}/{name}/{port}", status_code=204)
    async def delete(namespace: _Name, name: _Name, port: _Port) -> Response:
        """Stops redirecting a Service port: the endpoints of the Service are called again."""
        try:
            await delete_listener(registry.shared_state, ServicePort(namespace, name, port))
        except KeyError:
            raise unknown_service(namespace, name, port) from None
        return Response(status_code=204)

    return router


def _shown(listener: Listener) -> ServiceListener:
    return ServiceListener(host=listener.host, port=listener.port)


def unknown_service(namespace: str, name: str, port: int) -> ApiError:
    """Return the ApiError 404 for a Service port that is not redirected to a server outside of the cluster."""
    return not_found(GroupResource("", "services"), f"{namespace}/{name}:{port}")
