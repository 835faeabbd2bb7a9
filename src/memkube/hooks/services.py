"""Servers outside the cluster that a test puts behind Service ports."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple


class ServicePort(NamedTuple):
    """A port of a Service, which need not exist."""

    namespace: str
    name: str
    port: int


@dataclass(frozen=True, slots=True)
class Listener:
    """Address of a server outside the cluster."""

    host: str
    port: int


class Listeners:
    """Addresses of external servers by Service port. They take precedence over the Service's endpoints."""

    def __init__(self) -> None:
        self._listeners: dict[ServicePort, Listener] = {}
        self._subscribers: list[Callable[[ServicePort], None]] = []

    def put(self, service: ServicePort, listener: Listener) -> None:
        """Add or replace the server behind a Service port."""
        self._listeners[service] = listener
        self._notify(service)

    def delete(self, service: ServicePort) -> None:
        """Remove the server behind a Service port. Raises KeyError if there is none."""
        del self._listeners[service]
        self._notify(service)

    def get(self, service: ServicePort) -> Listener | None:
        """Return the server behind a Service port; None if there is none."""
        return self._listeners.get(service)

    def items(self) -> list[tuple[ServicePort, Listener]]:
        """Return all Service ports and servers, sorted."""
        return sorted(self._listeners.items())

    def on_change(self, listener: Callable[[ServicePort], None]) -> Callable[[], None]:
        """Call `listener` with each Service port whose server changes. The returned function unsubscribes."""
        self._subscribers.append(listener)
        return lambda: self._subscribers.remove(listener)

    def _notify(self, service: ServicePort) -> None:
        for listener in self._subscribers:
            listener(service)
