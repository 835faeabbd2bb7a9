"""Shows the snapshots that the server keeps, with forms to take, download, restore and delete them."""

from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from memkube.ui import PREFIX
from memkube.ui.api_client import ApiClient, Refused
from memkube.ui.page import CONTROL, client_of, done, form_of, render

router = APIRouter(prefix=PREFIX)


@router.get("/snapshots")
async def show(request: Request) -> Response:
    """Shows the snapshots that the server keeps."""
    kept = (await client_of(request).get(f"{CONTROL}/snapshots"))["items"]
    return await render(request, "snapshots.html", kept=kept, polled=f"{CONTROL}/snapshots")


@router.post("/snapshots")
async def take(request: Request) -> Response:
    """Takes a snapshot, and keeps it under the name in the form."""
    name = (await form_of(request)).get("name", "").strip()
    if not name or "/" in name:
        raise Refused(400, "give the snapshot a name")
    (await client_of(request).send("PUT", f"{CONTROL}/snapshots/{name}")).check()
    return done(request)


@router.post("/snapshots/{name}/{action}")
async def act(request: Request, name: str, action: str) -> Response:
    """Restores or deletes a snapshot. Raises Refused 404 for any other action."""
    client = client_of(request)
    if action == "restore":
        await client.post(f"{CONTROL}/snapshots/{name}/restore", {})
    elif action == "delete":
        (await client.send("DELETE", f"{CONTROL}/snapshots/{name}")).check()
    else:
        raise Refused(404, f"unknown action for a snapshot: {action}")
    return done(request)


@router.get("/snapshots/{name}/file")
async def download(request: Request, name: str) -> Response:
    """Sends a snapshot as a file that ``memkube serve --snapshot`` and ``memkube ui`` read."""
    client = client_of(request)
    kept = (await client.get(f"{CONTROL}/snapshots"))["items"]
    if all(one["name"] != name for one in kept):
        raise Refused(404, f"the server keeps no snapshot {name}")
    headers = {"content-disposition": f'attachment; filename="{name}.jsonl"'}
    return StreamingResponse(_lines(client, name), media_type="application/jsonl", headers=headers)


async def _lines(client: ApiClient, name: str) -> AsyncIterator[bytes]:
    async with client.stream(f"{CONTROL}/snapshots/{name}", {}, "*/*") as lines:
        async for line in lines:
            yield line + b"\n"
