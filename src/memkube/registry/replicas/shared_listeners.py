"""Listeners for Service ports, which all API servers with the same storage share.

A listener is the address of a server outside of the cluster. An API server sends its requests to a Service port, such
as calls of webhooks, to the listener instead of the pods. In the functions, `state` has the data that the API servers
share.
"""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.model import Document
from memkube.hooks.services import Listener, Listeners, ServicePort
from memkube.registry.replicas.shared_state import SharedState

_TOPIC: Final = "listeners"


def follow_listeners(state: SharedState, listeners: Listeners) -> None:
    """Keep `listeners`, those of this API server, equal to the shared ones: copy them now and after every change."""

    def take(name: str, value: Document | None) -> None:
        service = _service(name)
        if value is not None:
            listeners.put(service, Listener(value["host"], value["port"]))
        elif listeners.get(service) is not None:
            listeners.delete(service)

    state.follow(_TOPIC, take)


async def put_listener(state: SharedState, service: ServicePort, listener: Listener) -> None:
    """Let all API servers send their requests to the Service port `service` to `listener` instead.

    An earlier listener for this port is replaced.
    """
    await state.put(_TOPIC, _name(service), _document(listener))


async def delete_listener(state: SharedState, service: ServicePort) -> None:
    """Remove the listener for the Service port `service` from all API servers. Raises KeyError if there is none."""
    if state.get(_TOPIC, _name(service)) is None:
        raise KeyError(service)
    await state.delete(_TOPIC, _name(service))


async def replace_listeners(state: SharedState, listeners: Mapping[ServicePort, Listener]) -> None:
    """Replace the listeners for all Service ports, in all API servers, by `listeners`."""
    await state.replace(_TOPIC, {_name(service): _document(listener) for service, listener in listeners.items()})


def _name(service: ServicePort) -> str:
    return f"{service.namespace}/{service.name}/{service.port}"


def _service(name: str) -> ServicePort:
    namespace, service, port = name.split("/")
    return ServicePort(namespace, service, int(port))


def _document(listener: Listener) -> Document:
    return {"host": listener.host, "port": listener.port}
