"""Servers outside of the simulated cluster, such as webhooks of a test, which receive the requests to Service ports."""

from collections.abc import Callable
from typing import NamedTuple


class ServicePort(NamedTuple):
    """A port of a Service; the Service need not exist."""

    namespace: str
    name: str
    port: int


class Listener(NamedTuple):
    """Network address of a server outside of the cluster that receives the requests to a Service port."""

    host: str
    port: int


class Listeners:
    """Addresses of servers outside of the cluster, by the Service port whose requests they receive.

    Such an address takes precedence over the endpoints of the Service.
    """

    def __init__(self) -> None:
        self._listeners: dict[ServicePort, Listener] = {}
        self._subscribers: list[Callable[[ServicePort], None]] = []

    def put(self, service: ServicePort, listener: Listener) -> None:
        """Make `listener` receive the requests to a Service port. It replaces an earlier address for this port."""
        self._listeners[service] = listener
        self._notify(service)

    def delete(self, service: ServicePort) -> None:
        """Remove the address that receives the requests to a Service port. Raises KeyError if there is none."""
        del self._listeners[service]
        self._notify(service)

    def get(self, service: ServicePort) -> Listener | None:
        """Return the address that receives the requests to a Service port; None if there is none."""
        return self._listeners.get(service)

    def items(self) -> list[tuple[ServicePort, Listener]]:
        """Return all pairs of a Service port and the address that receives its requests, sorted by Service port."""
        return sorted(self._listeners.items())

    def on_change(self, listener: Callable[[ServicePort], None]) -> Callable[[], None]:
        """Call the function `listener` with each Service port whose address is set, replaced or removed.

        Returns a function that unsubscribes it.
        """
        self._subscribers.append(listener)
        return lambda: self._subscribers.remove(listener)

    def _notify(self, service: ServicePort) -> None:
        for listener in self._subscribers:
            listener(service)
