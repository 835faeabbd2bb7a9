"""Counters that the devices of one pool share, such as the memory of a GPU that can be partitioned."""

from collections import Counter

from memkube.controllers.scheduler.devices.allocated import AllocatedDevices
from memkube.controllers.scheduler.devices.pools import OfferedDevice, Pool, consumption_of

_Amounts = dict[str, Counter[str]]
"""Amounts in billionths, by counter set and name of the counter."""


class SharedCounters:
    """Amounts of the pools' shared counters that are available, because no allocated device consumes them.

    As in kube-scheduler, a pool is identified by its name alone, without the driver.
    """

    def __init__(self, allocated: AllocatedDevices) -> None:
        self._allocated = allocated
        self._available: dict[str, _Amounts] = {}

    def available(self, pool: Pool) -> _Amounts:
        """Return the available amounts of a pool's shared counters."""
        name = pool.id.pool
        found = self._available.get(name)
        if found is None:
            found = self._available[name] = self._left(pool)
        return found

    def consumption(self) -> "CounterConsumption":
        """Return a new record of the counters that one search for devices consumes."""
        return CounterConsumption(self)

    def _left(self, pool: Pool) -> _Amounts:
        left = {name: Counter(amounts) for name, amounts in pool.counter_sets.items()}
        for device_id, device in pool.all_devices:
            if not device.get("consumesCounters") or not self._allocated.is_used(device_id):
                continue
            for name, amounts in consumption_of(device):
                for counter, amount in amounts.items():
                    left[name][counter] -= amount
        return left


class CounterConsumption:
    """Amounts of shared counters that are consumed by the devices chosen so far in one search for devices."""

    def __init__(self, counters: SharedCounters) -> None:
        self._counters = counters
        self._consumed: dict[str, _Amounts] = {}

    def add(self, offered: OfferedDevice) -> bool:
        """Add the counters that the device `offered` consumes.

        Returns False without adding them if the pool's counters do not suffice.
        """
        self._count(offered, 1)
        consumed = self._consumed[offered.pool.id.pool]
        for name, available in self._counters.available(offered.pool).items():
            used = consumed.get(name, Counter())
            if any(amount < used.get(counter, 0) for counter, amount in available.items()):
                self._count(offered, -1)
                return False
        return True

    def remove(self, offered: OfferedDevice) -> None:
        """Subtract the counters that the device `offered` consumes, because the choice of this device was undone."""
        self._count(offered, -1)

    def _count(self, offered: OfferedDevice, sign: int) -> None:
        consumed = self._consumed.setdefault(offered.pool.id.pool, {})
        for name, amounts in consumption_of(offered.device):
            counts = consumed.setdefault(name, Counter())
            for counter, amount in amounts.items():
                counts[counter] += sign * amount
