"""Resources of a node, such as memory, whose shortage makes its kubelet evict pods (``pkg/kubelet/eviction``)."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, TypeAlias

from memkube.apimachinery.quantity import Format, Quantity

WatchedResource: TypeAlias = Literal["memory", "nodefs", "imagefs", "pids"]
PressureType: TypeAlias = Literal["MemoryPressure", "DiskPressure", "PIDPressure"]

_NANO: Final = 10**9
_MEBIBYTE: Final = 2**20
_MOST_PIDS: Final = 32768
TRANSITION_PERIOD: Final = timedelta(minutes=5)
"""Time for which a pressure condition remains after its threshold was last met (``evictionPressureTransitionPeriod``).
"""
_TENTH: Final = 13421773 / 2**27
"""The fraction 10 % in single precision, with which the kubelet computes."""
_FIFTEEN_HUNDREDTHS: Final = 10066330 / 2**26
"""The fraction 15 % in single precision, with which the kubelet computes."""


class Threshold(NamedTuple):
    """A hard eviction threshold. It is met if less than `quantity` of a node's resource is available."""

    watched: WatchedResource
    starved: str
    """Name of the resource in Events and messages about evictions."""
    condition: PressureType
    capacity: int
    quantity: int
    form: Format
    """Quantity format of the available amount in messages about evictions."""

    def describe(self, available: int) -> str:
        """Return the part of an eviction message that states the threshold and the available amount."""
        quantity = Quantity.of(self.quantity * _NANO, "BinarySI")
        return f"Threshold quantity: {quantity}, available: {Quantity.of(available * _NANO, self.form)}. "


PRESSURES: Final[tuple[PressureType, ...]] = ("MemoryPressure", "DiskPressure", "PIDPressure")


def thresholds_of(capacity: Mapping[str, Quantity]) -> tuple[Threshold, ...]:
    """Return the eviction thresholds of a node with this capacity.

    They are the default thresholds of a kubelet, and ``pid.available<10%``, although a kubelet has no default for
    process IDs. If several thresholds are met, the first one determines which pods are evicted.
    """
    memory, disk = capacity["memory"].value, capacity["ephemeral-storage"].value
    binary: Format = "BinarySI"
    return (
        Threshold("memory", "memory", "MemoryPressure", memory, 100 * _MEBIBYTE, binary),
        Threshold("nodefs", "ephemeral-storage", "DiskPressure", disk, int(disk * _TENTH), binary),
        Threshold("imagefs", "ephemeral-storage", "DiskPressure", disk, int(disk * _FIFTEEN_HUNDREDTHS), binary),
        Threshold("pids", "pids", "PIDPressure", _MOST_PIDS, int(_MOST_PIDS * _TENTH), "DecimalSI"),
    )


class PressureHistory:
    """Times at which the eviction thresholds of a node were last met, from which its pressure conditions follow."""

    def __init__(self) -> None:
        self._observed: dict[PressureType, datetime] = {}

    def observe(self, met: Iterable[Threshold], now: datetime) -> tuple[PressureType, ...]:
        """Record the thresholds that are met now. Returns the pressure conditions of the node that are True."""
        for threshold in met:
            self._observed[threshold.condition] = now
        self._observed = {type_: at for type_, at in self._observed.items() if now - at < TRANSITION_PERIOD}
        return tuple(type_ for type_ in PRESSURES if type_ in self._observed)

    @property
    def observed(self) -> Mapping[PressureType, datetime]:
        """Time at which the threshold of each pressure condition was last met."""
        return self._observed

    def restore(self, observed: Mapping[PressureType, datetime]) -> None:
        """Restore the times at which eviction thresholds were last met."""
        self._observed = dict(observed)
