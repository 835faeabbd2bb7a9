"""``/snapshot`` and ``/snapshots``: snapshots of a server, as files of JSON lines or kept in memory under a name."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from memkube.apimachinery.errors import ApiError, Details, GroupResource, not_found
from memkube.control.refusals import not_possible
from memkube.control.server_parts import ServerParts
from memkube.faults.names import NAME_PATTERN
from memkube.snapshots.files import SnapshotReader, SnapshotRefused, lines_of
from memkube.snapshots.snapshot import Snapshot
from memkube.time.turns import Turns

MOST_KEPT: Final = 100
"""Maximum number of snapshots that a server keeps."""
MOST_BYTES: Final = 1024**3
"""Maximum size of an uploaded snapshot, in bytes."""
MEDIA_TYPE: Final = "application/jsonl"
_PIECE_BYTES: Final = 256 * 1024
_SNAPSHOTS: Final = GroupResource("", "snapshots")
_Name = Annotated[str, Path(max_length=253, pattern=NAME_PATTERN)]


class KeptSnapshot(BaseModel):
    """A snapshot in the server's memory, which keeps it until it is deleted or the server stops."""

    name: str
    revision: int = Field(description="resourceVersion of the newest write before the snapshot.")
    now: datetime = Field(description="Time of the server's clock when the snapshot was taken, in UTC.")
    objects: int = Field(description="Number of objects in the snapshot.")


class SnapshotList(BaseModel):
    """All snapshots that the server keeps in memory, sorted by name."""

    items: list[KeptSnapshot]


def snapshots_router(parts: ServerParts) -> APIRouter:
    """Return the routes that take, keep, show and restore snapshots of the server."""
    router = APIRouter(tags=["snapshots"])
    kept: dict[str, Snapshot] = {}

    @router.get("/snapshot", response_class=StreamingResponse, responses={200: {"content": {MEDIA_TYPE: {}}}})
    async def download() -> StreamingResponse:
        """Downloads the present state of the server, in the format of snapshot files."""
        return _file(await parts.snapshots.take())

    @router.put("/snapshot", openapi_extra={"requestBody": {"content": {MEDIA_TYPE: {}}, "required": True}})
    async def upload(request: Request) -> KeptSnapshot:
        """Restores the state of a snapshot, which is sent in the format of snapshot files."""
        snapshot = await sent_snapshot(request)
        await parts.snapshots.restore(snapshot)
        return _kept_snapshot("", snapshot)

    @router.get("/snapshots")
    async def show_all() -> SnapshotList:
        """Lists the snapshots that the server keeps, by name."""
        return SnapshotList(items=[_kept_snapshot(name, kept[name]) for name in sorted(kept)])

    @router.put("/snapshots/{name}")
    async def take(name: _Name) -> KeptSnapshot:
        """Takes a snapshot and keeps it under this name, replacing an older snapshot of the same name."""
        if name not in kept and len(kept) >= MOST_KEPT:
            raise not_possible(f"the server keeps the maximum of {MOST_KEPT} snapshots already")
        kept[name] = await parts.snapshots.take()
        return _kept_snapshot(name, kept[name])

    @router.get("/snapshots/{name}", response_class=StreamingResponse, responses={200: {"content": {MEDIA_TYPE: {}}}})
    async def show(name: _Name) -> StreamingResponse:
        """Downloads a snapshot, in the format of snapshot files."""
        return _file(_named(kept, name))

    @router.post("/snapshots/{name}/restore")
    async def restore(name: _Name) -> KeptSnapshot:
        """Restores a snapshot. When the request is answered, the objects exist and custom kinds are served."""
        snapshot = _named(kept, name)
        await parts.snapshots.restore(snapshot)
        return _kept_snapshot(name, snapshot)

    @router.delete("/snapshots/{name}", status_code=204)
    async def delete(name: _Name) -> Response:
        """Deletes the snapshot with this name. The cluster does not change."""
        _named(kept, name)
        del kept[name]
        return Response(status_code=204)

    return router


def _named(kept: dict[str, Snapshot], name: str) -> Snapshot:
    """Return the snapshot with this name in `kept`, the snapshots in memory. Raises ApiError 404 if there is none."""
    if name not in kept:
        raise not_found(_SNAPSHOTS, name)
    return kept[name]


def _kept_snapshot(name: str, snapshot: Snapshot) -> KeptSnapshot:
    objects = len(snapshot.objects.objects)
    return KeptSnapshot(name=name, revision=snapshot.revision, now=snapshot.now, objects=objects)


def _file(snapshot: Snapshot) -> StreamingResponse:
    async def pieces() -> AsyncIterator[bytes]:
        turns = Turns()
        piece = bytearray()
        for line in lines_of(snapshot):
            await turns.give()
            piece += line
            if len(piece) >= _PIECE_BYTES:
                yield bytes(piece)
                piece.clear()
        yield bytes(piece)

    return StreamingResponse(pieces(), media_type=MEDIA_TYPE)


async def sent_snapshot(request: Request) -> Snapshot:
    """Return the snapshot in the body of a request. Raises ApiError 413 if it is too large, 422 if it is not valid."""
    reader, turns = SnapshotReader(), Turns()
    rest, size = b"", 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > MOST_BYTES:
                why = f"the snapshot is larger than the maximum of {MOST_BYTES // 1024**2} MiB"
                raise ApiError(413, "RequestEntityTooLarge", why, Details())
            *lines, rest = (rest + piece).splitlines(keepends=True) or [b""]
            if rest.endswith(b"\n"):
                lines, rest = [*lines, rest], b""
            for line in lines:
                await turns.give()
                reader.take(line)
        if rest:
            reader.take(rest)
        return reader.snapshot()
    except SnapshotRefused as refusal:
        raise ApiError(422, "Invalid", str(refusal), Details()) from None
