"""``/objects``: objects of another cluster, put into the server as they are."""

import asyncio
from typing import Final

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from memkube.apimachinery.errors import bad_request
from memkube.registry.registry import Registry
from memkube.snapshots.adding import UnknownKind, add_objects
from memkube.snapshots.files import SnapshotRefused, parse_snapshot

_REST_SECONDS: Final = 10.0


class Added(BaseModel):
    """What has come of it."""

    objects: int = Field(description="How many objects were put into the server.")


def objects_router(registry: Registry) -> APIRouter:
    """Takes objects in."""
    router = APIRouter(prefix="/objects", tags=["objects"])

    @router.post("", openapi_extra={"requestBody": {"content": {"application/jsonl": {}}, "required": True}})
    async def add(request: Request) -> Added:
        """Puts the objects of a snapshot beside those that are there, in place of those of the same names.

        Answers when the server has taken notice of them, so that custom kinds are served.
        """
        body = await request.body()
        try:
            snapshot = parse_snapshot(body.splitlines(keepends=True))
            added = await add_objects(registry, snapshot.objects.objects)
        except (SnapshotRefused, UnknownKind) as error:
            raise bad_request(str(error)) from None
        try:
            async with asyncio.timeout(_REST_SECONDS):
                await registry.clock.activity.at_rest()
        except TimeoutError:
            # What was added keeps the controllers busy.
            pass
        return Added(objects=added)

    return router
