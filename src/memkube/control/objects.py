"""``/objects``: copies objects of another cluster into the server, unchanged."""

import asyncio
from typing import Final

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from memkube.apimachinery.errors import ApiError, Details
from memkube.control.snapshots import MEDIA_TYPE, sent_snapshot
from memkube.registry.registry import Registry
from memkube.snapshots.adding import UnknownKind, add_objects

_REST_SECONDS: Final = 10.0


class Added(BaseModel):
    """The number of objects that were added."""

    objects: int = Field(description="Number of objects that were added.")


def objects_router(registry: Registry) -> APIRouter:
    """Return the route of the control API that adds objects to the server."""
    router = APIRouter(prefix="/objects", tags=["objects"])

    @router.post("", openapi_extra={"requestBody": {"content": {MEDIA_TYPE: {}}, "required": True}})
    async def add(request: Request) -> Added:
        """Adds the objects of a snapshot to the server. They replace existing objects with the same names.

        Objects that describe the server itself, such as the Service `kubernetes`, are not replaced. Answers when the
        controllers have reacted, so that custom kinds are served, but after at most 10 seconds of real time.
        """
        snapshot = await sent_snapshot(request)
        try:
            added = await add_objects(registry, snapshot.objects.objects)
        except UnknownKind as error:
            raise ApiError(422, "Invalid", str(error), Details()) from None
        try:
            async with asyncio.timeout(_REST_SECONDS):
                await registry.clock.activity.at_rest()
        except TimeoutError:
            # Answer without an error although controllers are still busy, because the objects have been added.
            pass
        return Added(objects=added)

    return router
