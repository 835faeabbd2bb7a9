"""Runs rollouts, drains, exec, watches and compactions in rounds, and records the memory of the server.

The server's clock runs ten times as fast as real time, so that what expires after an hour does so after six minutes.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import mean
from typing import Any, Final

from benchmarks.load import Address
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from proofs.connection import Connection, ConnectionLost

OPTIONS: Final = ("--nodes", "4", "--clock", "x10")
_LANES: Final = 3
"""Number of namespaces that are worked in concurrently."""
_ROUND_SECONDS: Final = 30.0
"""Seconds from the start of one round to the start of the next. The fixed rate makes memory comparable between
machines."""
_ROUNDS_KEPT: Final = 5
"""Number of rounds after which the history is compacted."""
_REPLICAS: Final = 5
_WATCHED: Final = ("pods", "events", "nodes", "configmaps")
_PATIENCE: Final = 180.0
_OK: Final = 300
_CONFLICT: Final = 409
_TOO_MANY: Final = 429
_GONE: Final = 404
_MERGE: Final = "application/merge-patch+json"
_DEPLOYMENTS: Final = "/apis/apps/v1/namespaces/{}/deployments"


class Stuck(Exception):
    """An expected state was not reached in time, or a request was refused."""


@dataclass(slots=True)
class Life:
    """Counts of the work done, and samples of the server's memory: seconds since the start, and bytes."""

    rounds: int = 0
    sessions: int = 0
    evictions: int = 0
    compactions: int = 0
    events: int = 0
    resident: list[tuple[float, int]] = field(default_factory=list)

    def held(self, second: float, within: float = 60.0) -> float:
        """Return the average bytes of memory during the `within` seconds before `second`."""
        return mean(held for when, held in self.resident if second - within <= when <= second)


async def live(address: Address, seconds: float, resident: Callable[[], int]) -> Life:
    """Run rounds for `seconds`. Raises Stuck if a state is not reached in time or a request is refused."""
    life, started = Life(), time.monotonic()
    watching = [asyncio.create_task(_watch(address, plural, life)) for plural in _WATCHED for _ in range(2)]
    sampling = asyncio.create_task(_sample(life, started, resident))
    try:
        async with asyncio.TaskGroup() as lanes:
            for number in range(_LANES):
                lanes.create_task(_lane(address, number, life, lambda: time.monotonic() - started < seconds))
    finally:
        for task in (*watching, sampling):
            task.cancel()
        await asyncio.wait([*watching, sampling])
    life.resident.append((time.monotonic() - started, resident()))
    return life


async def _sample(life: Life, started: float, resident: Callable[[], int]) -> None:
    while True:
        life.resident.append((time.monotonic() - started, resident()))
        await asyncio.sleep(1)


async def _lane(address: Address, number: int, life: Life, goes_on: Callable[[], bool]) -> None:
    connection, namespace = Connection(address), f"soak-{number}"
    try:
        await _ask(connection, "POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        while True:
            next_begins = time.monotonic() + _ROUND_SECONDS
            await _round(connection, namespace, number, life)
            life.rounds += 1
            if not goes_on():
                return
            await asyncio.sleep(next_begins - time.monotonic())
    finally:
        connection.close()


async def _round(connection: Connection, namespace: str, lane: int, life: Life) -> None:
    """Create a deployment, roll it out again, drain a node, and delete the deployment."""
    deployments = _DEPLOYMENTS.format(namespace)
    await _ask(connection, "POST", deployments, _deployment(f"image:{life.rounds}"))
    await _available(connection, f"{deployments}/web")
    pods = await _pods(connection, namespace)
    await _exec(connection.address, namespace, pods[0])
    life.sessions += 1
    change = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "image:new"}]}}}}
    await _ask(connection, "PATCH", f"{deployments}/web", change, "application/strategic-merge-patch+json")
    await _available(connection, f"{deployments}/web")
    await _drain(connection, namespace, f"node-{lane + 1}", life)
    await _available(connection, f"{deployments}/web")
    await _watch_for_a_moment(connection.address)
    if life.rounds >= life.compactions * _ROUNDS_KEPT:
        life.compactions += 1
        await _ask(connection, "POST", "/memkube/v1/faults/compact-history", {})
    await _ask(connection, "DELETE", f"{deployments}/web", {"propagationPolicy": "Background"})
    await _until(lambda: _has_no_pods(connection, namespace), f"pods of {namespace} go")


async def _drain(connection: Connection, namespace: str, node: str, life: Life) -> None:
    await _ask(connection, "PATCH", f"/api/v1/nodes/{node}", {"spec": {"unschedulable": True}}, _MERGE)
    for pod in await _pods(connection, namespace, node):
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": namespace}}
        path = f"/api/v1/namespaces/{namespace}/pods/{pod}/eviction"
        answer = await connection.ask("POST", path, eviction)
        if answer.status not in (_GONE, _TOO_MANY, _CONFLICT):
            _check(answer.status, path, answer.body)
            life.evictions += 1
    await _ask(connection, "PATCH", f"/api/v1/nodes/{node}", {"spec": {"unschedulable": None}}, _MERGE)


async def _exec(address: Address, namespace: str, pod: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/pods/{pod}/exec?command=echo&command=hello&stdout=1&stderr=1"
    url, protocol = f"ws://{address.host}:{address.port}{path}", Subprotocol("v5.channel.k8s.io")
    async with connect(url, subprotocols=[protocol], proxy=None, open_timeout=_PATIENCE) as session:
        said = [message async for message in session]
    if b"\x01hello\n" not in said:
        raise Stuck(f"{path}: {said!r}")


async def _watch(address: Address, plural: str, life: Life) -> None:
    """Watch from the newest revision until cancelled, and start a new watch whenever one ends."""
    connection = Connection(address, "soak")
    try:
        while True:
            with suppress(ConnectionLost):
                async for _ in connection.lines(f"/api/v1/{plural}?watch=true&allowWatchBookmarks=true"):
                    life.events += 1
            connection.close()
    finally:
        connection.close()


async def _watch_for_a_moment(address: Address) -> None:
    """Start five watches, each of which the client closes after the first event."""
    for plural in (*_WATCHED, "namespaces"):
        connection = Connection(address, "soak")
        async for _ in connection.lines(f"/api/v1/{plural}?watch=true"):
            break
        connection.close()


async def _available(connection: Connection, path: str) -> None:
    async def asked() -> bool:
        found = (await _ask(connection, "GET", path)).json()
        status = found.get("status", {})
        counts = {status.get(each, 0) for each in ("replicas", "updatedReplicas", "availableReplicas")}
        return counts == {_REPLICAS} and status.get("observedGeneration") == found["metadata"]["generation"]

    await _until(asked, f"{path} is available")


async def _pods(connection: Connection, namespace: str, node: str = "") -> list[str]:
    selector = f"?fieldSelector=spec.nodeName={node}" if node else ""
    found = (await _ask(connection, "GET", f"/api/v1/namespaces/{namespace}/pods{selector}")).json()
    return [each["metadata"]["name"] for each in found["items"] if "deletionTimestamp" not in each["metadata"]]


async def _has_no_pods(connection: Connection, namespace: str) -> bool:
    return not (await _ask(connection, "GET", f"/api/v1/namespaces/{namespace}/pods")).json()["items"]


async def _until(holds: Callable[[], Any], what: str) -> None:
    try:
        async with asyncio.timeout(_PATIENCE):
            while not await holds():  # noqa: ASYNC110  the server does not signal the state
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise Stuck(f"not within {_PATIENCE:.0f} s: {what}") from None


async def _ask(
    connection: Connection, method: str, path: str, body: object = None, media_type: str = "application/json"
) -> Any:
    answer = await connection.ask(method, path, body, media_type)
    _check(answer.status, f"{method} {path}", answer.body)
    return answer


def _check(status: int, what: str, body: bytes) -> None:
    if status >= _OK:
        raise Stuck(f"{what}: {status} {body.decode(errors='replace')}")


def _deployment(image: str) -> dict[str, object]:
    labels = {"app": "web"}
    containers: Sequence[object] = [{"name": "main", "image": image}]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    spec = {"replicas": _REPLICAS, "selector": {"matchLabels": labels}, "template": template}
    return {"metadata": {"name": "web"}, "spec": spec}
