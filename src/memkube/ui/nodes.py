"""The view of nodes: pods as tiles on their nodes, and the disruption budgets of the pods."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response

from memkube.ui import PREFIX
from memkube.ui.api_client import Refused
from memkube.ui.budgets import budgets_of
from memkube.ui.page import CONTROL, allowed, at_of, client_of, done, form_of, render
from memkube.ui.reading import NamedRow, Reading, in_namespace
from memkube.ui.tiles import Tile, counted, tile_of

_CORE: Final = "/api/v1"
_MERGE_PATCH: Final = "application/merge-patch+json"
_OF_MACHINES: Final = frozenset({"fail", "recover", "partition", "heal", "reboot"})
"""Actions of the control API on simulated nodes."""

router = APIRouter(prefix=PREFIX)


class Note(NamedTuple):
    """A short text about a node, for a taint or for a condition that reports a problem."""

    text: str
    tone: str
    details: str = ""


class NodeView(NamedTuple):
    """A node and its pods, as the list of nodes shows them."""

    name: str
    status: str
    tone: str
    roles: str
    notes: Sequence[Note]
    pods: Sequence[Tile]
    most_pods: str
    """Number of pods that fit on the node, from its allocatable resources; empty if the node does not report it."""
    is_cordoned: bool
    is_simulated: bool
    is_failed: bool
    is_partitioned: bool


@router.get("/nodes")
async def show(request: Request) -> Response:
    """Shows the nodes with their pods, now or at a past revision."""
    reading, namespace = Reading.of(request), request.query_params.get("namespace", "")
    nodes = list(await reading.rows(f"{_CORE}/nodes", whole=True))
    tiles = [tile_of(row) for row in await reading.rows(in_namespace(_CORE, "pods", namespace))]
    budgets = await budgets_of(reading, namespace)
    namespaces = [one.cells["Name"] for one in await reading.rows(f"{_CORE}/namespaces")]
    client = client_of(request)
    machines = None if at_of(request).is_past else await allowed(client.get(f"{CONTROL}/nodes"))
    simulated = {one["name"]: one for one in machines["items"]} if machines else {}
    placed: dict[str, list[Tile]] = {}
    for tile in tiles:
        placed.setdefault(tile.node, []).append(tile)
    views = [_view(row, placed.pop(row.cells["Name"], []), simulated) for row in nodes]
    waiting = placed.pop("", [])
    return await render(
        request,
        "nodes.html",
        reading=reading,
        nodes=views,
        waiting=waiting,
        lost=[tile for tiles_of_lost in placed.values() for tile in tiles_of_lost],
        budgets=budgets,
        counts=counted(tiles),
        namespace=namespace,
        namespaces=namespaces,
    )


@router.post("/nodes/{name}/{action}")
async def act(request: Request, name: str, action: str) -> Response:
    """Performs an action such as cordon or fail on a node. Raises Refused 404 if the path names an unknown action."""
    client = client_of(request)
    if action in ("cordon", "uncordon"):
        body = orjson.dumps({"spec": {"unschedulable": True if action == "cordon" else None}})
        (await client.send("PATCH", f"{_CORE}/nodes/{name}", body=body, media_type=_MERGE_PATCH)).check()
    elif action == "drain":
        await _drain(request, name)
    elif action in _OF_MACHINES:
        await client.post(f"{CONTROL}/nodes/{name}/{action}", {})
    else:
        raise Refused(404, f"unknown action for a node: {action}")
    return done(request)


async def _drain(request: Request, name: str) -> None:
    """Evict the node's pods once. Raises Refused 409 if disruption budgets block some of the evictions."""
    is_forced = bool((await form_of(request)).get("force"))
    options = {"force": is_forced, "deleteEmptydirData": is_forced}
    answer = await client_of(request).post(f"{CONTROL}/nodes/{name}/drain", options)
    if blocked := answer["blocked"]:
        names = ", ".join(f"{one['namespace']}/{one['name']}" for one in blocked)
        raise Refused(409, f"{len(blocked)} pods could not be evicted: {names}. {blocked[0]['message']}")


def _view(row: NamedRow, pods: Sequence[Tile], simulated: Mapping[str, Any]) -> NodeView:
    cells, node = row.cells, row.document
    name, status = str(cells["Name"]), str(cells["Status"])
    spec, machine = node.get("spec") or {}, simulated.get(str(cells["Name"]), {})
    most = (node.get("status", {}).get("allocatable") or {}).get("pods", "")
    is_cordoned = bool(spec.get("unschedulable"))
    tone = "good" if status == "Ready" else "waiting" if status.startswith("Ready,") else "bad"
    return NodeView(
        name=name,
        status=status,
        tone=tone,
        roles="" if cells["Roles"] == "<none>" else str(cells["Roles"]),
        notes=[*_conditions(node), *_taints(spec)],
        pods=pods,
        most_pods=str(most),
        is_cordoned=is_cordoned,
        is_simulated=bool(machine),
        is_failed=bool(machine.get("failed")),
        is_partitioned=bool(machine.get("partitioned")),
    )


def _conditions(node: Mapping[str, Any]) -> Iterator[Note]:
    """Yield a note for each condition that reports a problem: Ready if not True, any other if not False."""
    for condition in node.get("status", {}).get("conditions") or ():
        if condition["status"] != ("True" if condition["type"] == "Ready" else "False"):
            details = f"{condition.get('reason', '')}: {condition.get('message', '')}"
            yield Note(f"{condition['type']}: {condition['status']}", "bad", details)


def _taints(spec: Mapping[str, Any]) -> Iterator[Note]:
    for taint in spec.get("taints") or ():
        value = f"={taint['value']}" if taint.get("value") else ""
        yield Note(f"{taint['key']}{value}:{taint['effect']}", "", "Taint")
