"""Find the update that an operator loses when its watch is dropped between list and watch.

In reality, this needs a coincidence of microseconds. Here, a fault delays the watch until the test has written, and
another one then drops it.
"""

import threading
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import careless
import mended
import pytest
from kubernetes import client, watch

from memkube import Memkube, WaitTimeout, faults

Operator: TypeAlias = Callable[[Any, str, watch.Watch, threading.Event], None]
pytestmark = pytest.mark.memkube(controllers="none")


def settings(name: str, colour: str) -> dict[str, Any]:
    """Return a ConfigMap for the operator to copy."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"colour": colour}}


def is_red(secret: dict[str, Any]) -> bool:
    """True if the operator has copied the change."""
    return b64decode(secret["data"]["colour"]) == b"red"


@contextmanager
def running(kube: Memkube, operate: Operator) -> Iterator[Any]:
    """Run the operator under test in a thread; another process would work as well."""
    stop, watching = threading.Event(), watch.Watch()
    with client.ApiClient(client.Configuration(host=kube.url)) as connected:
        core = client.CoreV1Api(connected)
        operator = threading.Thread(target=operate, args=(core, "default", watching, stop))
        operator.start()
        try:
            yield core
        finally:
            # Once the operator has copied this ConfigMap, it is watching and can be stopped.
            kube.apply(settings("last", "red"))
            kube.wait_for("secrets", "last", "create")
            stop.set()
            watching.stop()
            operator.join()


def change_between_list_and_watch(kube: Memkube, operate: Operator) -> None:
    """Return once the Secret has the change. Raises WaitTimeout if the operator misses it."""
    kube.apply(settings("settings", "blue"))
    held = kube.faults.add(faults.delay(3600), verb="watch", resource="configmaps", first=1)
    dropped = kube.faults.add(faults.drop(), verb="watch", resource="configmaps", first=1)
    with running(kube, operate):
        kube.wait_for("secrets", "settings", "create")
        kube.apply(settings("settings", "red"))
        held.remove()
        kube.wait_for("secrets", "settings", is_red, timeout=2)
    assert dropped.hits == 1


def test_the_careless_operator_loses_the_update(memkube: Memkube) -> None:
    """The operator keeps running and copies later changes, but misses this one."""
    with pytest.raises(WaitTimeout):
        change_between_list_and_watch(memkube, careless.run)


def test_the_mended_operator_does_not(memkube: Memkube) -> None:
    """The operator continues from the resourceVersion of its list, however often its watch is dropped."""
    change_between_list_and_watch(memkube, mended.run)


def test_the_mended_operator_takes_stock_when_history_is_gone(memkube: Memkube) -> None:
    """The operator finds a deletion of which it received no event."""
    memkube.apply(settings("settings", "red"))
    with running(memkube, mended.run) as core:
        memkube.wait_for("secrets", "settings", "create")
        with memkube.faults.add(faults.hold_events(), verb="watch", resource="configmaps"):
            core.delete_namespaced_config_map("settings", "default")
            memkube.faults.compact_history()
            memkube.faults.close_watches(expired=True, resource="configmaps")
            memkube.wait_for("secrets", "settings", "delete")
