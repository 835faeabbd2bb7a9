"""A terminal in a container, through the subresource ``exec`` of its pod."""

from typing import Final

from fastapi import APIRouter, Request, WebSocket
from starlette.responses import Response

from memkube.ui import PREFIX
from memkube.ui.api_client import Refused
from memkube.ui.logs import PODS, shown_pod
from memkube.ui.objects import own_watch
from memkube.ui.page import client_of, render

_POLICY_VIOLATION: Final = 1008

router = APIRouter(prefix=PREFIX)


@router.get("/terminal/{namespace}/{name}")
async def show(request: Request, namespace: str, name: str) -> Response:
    """Shows a terminal for a container of a pod."""
    pod = await shown_pod(request, namespace, name)
    command = request.query_params.get("command") or "sh"
    return await render(request, "terminal.html", pod=pod, command=command, watched=own_watch(PODS, pod.place))


@router.websocket("/terminal/{namespace}/{name}/socket")
async def connect(socket: WebSocket, namespace: str, name: str, container: str = "", command: str = "sh") -> None:
    """Passes the WebSocket of a terminal on to the API, which checks the rights of the user."""
    query = {"container": container, "command": command.split(), "stdin": "true", "stdout": "true", "tty": "true"}
    try:
        path = f"{PODS.path(namespace, name)}/exec"
        await client_of(socket).connect(path, query, socket.receive, socket.send)
    except Refused:
        await socket.close(_POLICY_VIOLATION)
