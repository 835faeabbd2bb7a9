"""Logs of the containers of a pod, as they are written."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson
from fastapi import APIRouter, Request
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from memkube.ui import PREFIX
from memkube.ui.api_client import ApiClient, Refused
from memkube.ui.kinds import Kind
from memkube.ui.lists import Place
from memkube.ui.objects import own_watch
from memkube.ui.page import at_of, client_of, render

PODS: Final = Kind("", "v1", "pods", "Pod", True, ())
"""The kind of the objects with containers: pods."""
_LINES: Final = "1000"
"""Number of earlier lines of a log that are shown before its new lines."""
_BATCH_SECONDS: Final = 0.05
_PARTS: Final = (
    ("containers", "containerStatuses", ""),
    ("initContainers", "initContainerStatuses", "init"),
    ("ephemeralContainers", "ephemeralContainerStatuses", "ephemeral"),
)
"""Each kind of container: its field in the pod's spec, its field in the status, and its value of `Container.kind`."""

router = APIRouter(prefix=PREFIX)


class Container(NamedTuple):
    """A container, init container or ephemeral container of a pod, with the state that the log view shows."""

    name: str
    kind: str
    """``init`` for an init container, ``ephemeral`` for an ephemeral one; empty for an ordinary container."""
    state: str
    restarts: int
    ports: tuple[int, ...]


class ShownPod(NamedTuple):
    """A pod whose logs a page shows: its document, all its containers, and the `container` whose log is selected."""

    document: Any
    place: Place
    containers: list[Container]
    container: Container

    @property
    def path(self) -> str:
        """URL path of the pod in the Kubernetes API."""
        return PODS.path(self.place.namespace, self.place.name)


@router.get("/logs/{namespace}/{name}")
async def show(request: Request, namespace: str, name: str) -> Response:
    """Shows the log of a container of a pod."""
    pod, client = await shown_pod(request, namespace, name), client_of(request)
    query = _query(request, pod.container.name)
    answer = await client.send("GET", f"{pod.path}/log", query | {"tailLines": "0"})
    problem = ""
    try:
        answer.check()
    except Refused as error:
        problem = error.message
    return await render(
        request,
        "logs.html",
        pod=pod,
        problem=problem,
        watched=own_watch(PODS, pod.place),
        follows=not query.get("previous"),
    )


@router.get("/logs/{namespace}/{name}/stream")
async def stream(request: Request, namespace: str, name: str) -> EventSourceResponse:
    """Sends the last lines of a container's log, and new ones until the container ends, as server-sent events.

    Of a container's previous run, only the last lines are sent.
    """
    query = _query(request, request.query_params.get("container", "")) | {"tailLines": _LINES}
    if "previous" not in query:
        query |= {"follow": "true"}
    events = _events(client_of(request), f"{PODS.path(namespace, name)}/log", query)
    return EventSourceResponse(events, ping=15, headers={"cache-control": "no-store"})


async def shown_pod(request: Request, namespace: str, name: str) -> ShownPod:
    """Return a pod with the container that ``?container=`` names, or with its first one.

    Raises Refused 404 if the pod or the container does not exist, and 400 if the page shows a past revision, because
    logs of past revisions are not kept.
    """
    if at_of(request).is_past:
        raise Refused(400, "Logs and processes of past revisions are not kept: go back to the present.")
    document = await client_of(request).get(PODS.path(namespace, name))
    status = document.get("status") or {}
    containers = [
        _container(one, status.get(statuses) or (), kind)
        for part, statuses, kind in _PARTS
        for one in document["spec"].get(part) or ()
    ]
    wanted = request.query_params.get("container") or containers[0].name
    for container in containers:
        if container.name == wanted:
            return ShownPod(document, Place("", "v1", namespace, "pods", name), containers, container)
    raise Refused(404, f"pod {name} has no container {wanted}")


def _container(spec: Any, statuses: Sequence[Any], kind: str) -> Container:
    status: Mapping[str, Any] = next((one for one in statuses if one["name"] == spec["name"]), {})
    states: Mapping[str, Any] = status.get("state") or {"waiting": {}}
    words = next(str(details.get("reason") or state) for state, details in states.items())
    ports = tuple(int(one["containerPort"]) for one in spec.get("ports") or ())
    return Container(spec["name"], kind, words, int(status.get("restartCount") or 0), ports)


def _query(request: Request, container: str) -> dict[str, str]:
    query = {"container": container} if container else {}
    for flag in ("previous", "timestamps"):
        if request.query_params.get(flag):
            query[flag] = "true"
    return query


async def _events(client: ApiClient, path: str, query: dict[str, str]) -> AsyncIterator[ServerSentEvent]:
    """Yield the lines of a log as server-sent events, and finally an event for the end of the log or for an error.

    Lines that arrive together are one event.
    """
    lines, arrived = list[str](), asyncio.Event()

    async def read() -> None:
        async with client.stream(path, query, "*/*") as received:
            async for line in received:
                lines.append(line.decode(errors="replace"))
                arrived.set()

    reading = asyncio.create_task(read())
    reading.add_done_callback(lambda _: arrived.set())
    try:
        while True:
            await arrived.wait()
            # Wait a moment, so that lines that are written at the same time are sent in one event.
            await asyncio.sleep(_BATCH_SECONDS)
            arrived.clear()
            is_over = reading.done()
            if lines:
                yield ServerSentEvent(orjson.dumps(lines).decode(), event="lines")
                lines.clear()
            if is_over:
                break
        error = reading.exception()
        if isinstance(error, Refused):
            yield ServerSentEvent(error.message, event="problem")
        elif error is None:
            yield ServerSentEvent("", event="end")
        else:
            raise error
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
