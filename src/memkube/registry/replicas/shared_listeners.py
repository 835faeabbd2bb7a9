"""Listeners for Service ports, which all API servers with the same storage share.

A listener is the address of a process outside of the cluster, such as a webhook in a user's test. API servers send
their requests for a Service port to its listener instead of the Service's pods. The functions read and write the
listeners in `state`, the data that the API servers share.
"""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.model import Document
from memkube.hooks.services import Listener, Listeners, ServicePort
from memkube.registry.replicas.shared_state import SharedState

_TOPIC: Final = "listeners"


def follow_listeners(state: SharedState, listeners: Listeners) -> None:
    """Copy the listeners in `state` to `listeners`, those of this API server, now and after every change in `state`."""

    def take(name: str, value: Document | None) -> None:
        service = _service(name)
        if value is not None:
            listeners.put(service, Listener(value["host"], value["port"]))
        elif listeners.get(service) is not None:
            listeners.delete(service)

    state.follow(_TOPIC, take)


async def put_listener(state: SharedState, service: ServicePort, listener: Listener) -> None:
    """Make `listener` receive the requests of all API servers for the Service port `service`.

    It replaces an earlier listener for this port.
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
