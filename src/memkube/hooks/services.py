"""Servers outside that stand behind ports of services, because a test has said so."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple


class ServicePort(NamedTuple):
    """A port of a service, which need not exist."""

    namespace: str
    name: str
    port: int


@dataclass(frozen=True, slots=True)
class Listener:
    """Where a server listens."""

    host: str
    port: int


class Listeners:
    """Who listens behind which service; comes before what the cluster knows of the service."""

    def __init__(self) -> None:
        self._listeners: dict[ServicePort, Listener] = {}
        self._told: list[Callable[[ServicePort], None]] = []

    def put(self, service: ServicePort, listener: Listener) -> None:
        """Adds or replaces a listener."""
        self._listeners[service] = listener
        self._tell(service)

    def delete(self, service: ServicePort) -> None:
        """Raises KeyError."""
        del self._listeners[service]
        self._tell(service)

    def get(self, service: ServicePort) -> Listener | None:
        """The listener behind a port, if there is one."""
        return self._listeners.get(service)

    def items(self) -> list[tuple[ServicePort, Listener]]:
        """All of them in order."""
        return sorted(self._listeners.items())

    def on_change(self, listener: Callable[[ServicePort], None]) -> Callable[[], None]:
        """Calls `listener` with every port whose listener changes, until what is returned is called."""
        self._told.append(listener)
        return lambda: self._told.remove(listener)

    def _tell(self, service: ServicePort) -> None:
        for listener in self._told:
            listener(service)
