"""Environment variables of Services in containers (``getServiceEnvVarMap`` of the kubelet, ``pkg/kubelet/envvars``)."""

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.registry.objects.stored import StoredObject

_MASTER: Final = ("default", "kubernetes")
"""Namespace and name of the Service whose variables every container gets."""


class ServiceVariables(Mapping[str, str]):
    """The environment variables of all Services that a container sees, in the order of the Services.

    The containers of a namespace share one such set until a Service of the namespace changes, and sets share the
    variables of each Service that did not change.
    """

    __slots__ = ("number", "services")

    def __init__(self, number: int, services: Sequence[Mapping[str, str]]) -> None:
        self.number = number
        """Number of the set, by which the saved state of containers refers to it."""
        self.services = services
        """The variables of each Service."""

    def __getitem__(self, name: str) -> str:
        # A cheap check for the many names that no Service has: the variables that shell scripts use.
        if name.endswith("_SERVICE_HOST") or "_PORT" in name:
            for variables in reversed(self.services):
                if name in variables:
                    return variables[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(chain.from_iterable(self.services)))

    def items(self) -> ItemsView[str, str]:
        # Faster than a lookup of each name.
        return dict(chain.from_iterable(variables.items() for variables in self.services)).items()

    def __len__(self) -> int:
        return sum(1 for _ in self)


class ServiceLinks:
    """The variables of Services for new containers, by namespace."""

    def __init__(self, services: Informer) -> None:
        self._services = services
        self._variables: dict[tuple[str, str], Mapping[str, str]] = {}
        """The variables of each Service, by its namespace and name."""
        self._sets: dict[str, ServiceVariables] = {}
        """The present sets by namespace. The set of the namespace ``""`` has only the Service ``kubernetes``."""
        self._restored: dict[int, ServiceVariables] = {}
        self._last_number = 0
        services.subscribe(self._service_changed)

    def of(self, namespace: str, *, all_services: bool) -> ServiceVariables:
        """Return the variables for a container that starts in a namespace.

        They are those of the Service ``kubernetes`` in ``default`` and, if `all_services` is True
        (``enableServiceLinks``), of all Services of the namespace that have a cluster IP.
        """
        key = namespace if all_services and self._services.in_namespace(namespace) else ""
        if key not in self._sets:
            self._last_number += 1
            self._sets[key] = ServiceVariables(self._last_number, self._of_services(key))
        return self._sets[key]

    def restored(self, number: int) -> ServiceVariables:
        """Return the saved set with a number. Raises KeyError if there is none."""
        return self._restored[number]

    def restore(self, saved: Sequence[Document]) -> None:
        """Restore sets from the result of `saved_sets`, so that `restored` returns them."""
        self._restored = restored_sets(saved)
        self._last_number = max(self._restored, default=0)

    def _of_services(self, namespace: str) -> tuple[Mapping[str, str], ...]:
        found = dict(self._services.in_namespace(namespace))
        master = self._services.get(*_MASTER)
        if master is not None:
            found.setdefault(master.name, master)
        return tuple(variables for name in sorted(found) if (variables := self._of_service(found[name])))

    def _of_service(self, service: StoredObject) -> Mapping[str, str]:
        key = service.namespace, service.name
        if key not in self._variables:
            self._variables[key] = dict(_variables(service))
        return self._variables[key]

    def _service_changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        service = new or old
        assert service is not None
        if old is not None and new is not None and dict(_variables(old)) == dict(_variables(new)):
            return
        key = service.namespace, service.name
        self._variables.pop(key, None)
        if key == _MASTER:
            self._sets.clear()
        else:
            self._sets.pop(service.namespace, None)


def saved_sets(sets: Iterable[ServiceVariables]) -> Sequence[Document]:
    """Return the distinct ones of `sets` as JSON data: an empty list, or one document.

    The document has the variables of each Service once, and each set as the positions of its Services.
    """
    distinct = {variables.number: variables for variables in sets}
    services = {id(service): service for variables in distinct.values() for service in variables.services}
    positions = {known: position for position, known in enumerate(services)}
    numbered = {
        str(number): [positions[id(service)] for service in distinct[number].services] for number in sorted(distinct)
    }
    return [{"services": list(services.values()), "sets": numbered}] if numbered else []


def restored_sets(saved: Sequence[Document]) -> dict[int, ServiceVariables]:
    """Decode sets by number from the result of `saved_sets`.

    Raises AttributeError, IndexError, KeyError, TypeError or ValueError for malformed data.
    """
    sets = {}
    for document in saved:
        services = [{str(name): str(value) for name, value in one.items()} for one in document["services"]]
        for number, positions in document["sets"].items():
            sets[int(number)] = ServiceVariables(int(number), tuple(services[position] for position in positions))
    return sets


def set_numbers(saved: Document) -> Iterator[int]:
    """Yield the numbers of the sets that a pod's containers have. `saved` is the saved state of the pod."""
    for container in saved["containers"].values():
        number = (container["session"] or {}).get("services")
        if number is not None:
            yield number


def _variables(service: StoredObject) -> Iterator[tuple[str, str]]:
    """Yield the names and values of the variables of a Service; none if it has no cluster IP."""
    spec: Document = service.document["spec"]
    address, ports = spec.get("clusterIP") or "None", spec.get("ports") or ()
    if address == "None" or not ports:
        return
    prefix = _upper(service.name)
    yield f"{prefix}_SERVICE_HOST", address
    yield f"{prefix}_SERVICE_PORT", str(ports[0]["port"])
    for port in ports:
        if port.get("name"):
            yield f"{prefix}_SERVICE_PORT_{_upper(port['name'])}", str(port["port"])
    yield f"{prefix}_PORT", _url(address, ports[0])
    for port in ports:
        of_port = f"{prefix}_PORT_{port['port']}_{port.get('protocol') or 'TCP'}"
        yield of_port, _url(address, port)
        yield f"{of_port}_PROTO", (port.get("protocol") or "TCP").lower()
        yield f"{of_port}_PORT", str(port["port"])
        yield f"{of_port}_ADDR", address


def _url(address: str, port: Any) -> str:
    host = f"[{address}]" if ":" in address else address
    return f"{(port.get('protocol') or 'TCP').lower()}://{host}:{port['port']}"


def _upper(name: str) -> str:
    return name.upper().replace("-", "_")
