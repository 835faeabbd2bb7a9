"""Amounts of resources as the scheduler counts them (``framework/types.go``: Resource)."""

from collections.abc import Mapping
from typing import Any, Final

from memkube.apimachinery.quantity import Quantity

_NANO_PER_UNIT: Final = 10**9
_NANO_PER_MILLI: Final = 10**6


class Resources:
    """Amounts in thousandths of a CPU, in bytes, and in units of anything else that nodes may offer."""

    __slots__ = ("cpu", "ephemeral_storage", "memory", "scalars")

    def __init__(
        self, cpu: int = 0, memory: int = 0, ephemeral_storage: int = 0, scalars: Mapping[str, int] | None = None
    ) -> None:
        self.cpu = cpu
        self.memory = memory
        self.ephemeral_storage = ephemeral_storage
        self.scalars = dict(scalars) if scalars else {}

    @classmethod
    def of_nano(cls, amounts: Mapping[str, int]) -> "Resources":
        """Amounts given in billionths, rounded up."""
        resources = cls()
        for name, nano in amounts.items():
            if name == "cpu":
                resources.cpu = -(-nano // _NANO_PER_MILLI)
            elif name == "memory":
                resources.memory = -(-nano // _NANO_PER_UNIT)
            elif name == "ephemeral-storage":
                resources.ephemeral_storage = -(-nano // _NANO_PER_UNIT)
            elif is_scalar(name):
                resources.scalars[name] = -(-nano // _NANO_PER_UNIT)
        return resources

    def copy(self) -> "Resources":
        """The same amounts, to be changed apart."""
        return Resources(self.cpu, self.memory, self.ephemeral_storage, self.scalars)

    def add(self, other: "Resources") -> None:
        """Counts more."""
        self.cpu += other.cpu
        self.memory += other.memory
        self.ephemeral_storage += other.ephemeral_storage
        for name, amount in other.scalars.items():
            self.scalars[name] = self.scalars.get(name, 0) + amount

    def subtract(self, other: "Resources") -> None:
        """Counts less."""
        self.cpu -= other.cpu
        self.memory -= other.memory
        self.ephemeral_storage -= other.ephemeral_storage
        for name, amount in other.scalars.items():
            self.scalars[name] = self.scalars.get(name, 0) - amount

    def is_less_than(self, other: "Resources") -> bool:
        """Whether there is less of anything."""
        return (
            self.cpu < other.cpu
            or self.memory < other.memory
            or self.ephemeral_storage < other.ephemeral_storage
            or any(self.scalars.get(name, 0) < amount for name, amount in other.scalars.items())
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Resources) and self._amounts() == other._amounts()

    __hash__ = None  # type: ignore[assignment] # amounts change

    def _amounts(self) -> tuple[int, int, int, dict[str, int]]:
        return self.cpu, self.memory, self.ephemeral_storage, self.scalars


def is_scalar(name: str) -> bool:
    """Whether a resource is counted in whole units: an extended one, huge pages or attachable volumes."""
    return "/" in name or name.startswith(("hugepages-", "attachable-volumes-"))


def nano_amounts(quantities: Mapping[str, Any] | None) -> dict[str, int]:
    """A resource list of a document in billionths."""
    return {name: Quantity(text).nano for name, text in quantities.items()} if quantities else {}
