"""``/objects``: objects of another cluster, put into the server as they are."""

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
    """What has come of it."""

    objects: int = Field(description="How many objects were put into the server.")


def objects_router(registry: Registry) -> APIRouter:
    """Takes objects in."""
    router = APIRouter(prefix="/objects", tags=["objects"])

    @router.post("", openapi_extra={"requestBody": {"content": {MEDIA_TYPE: {}}, "required": True}})
    async def add(request: Request) -> Added:
        """Puts the objects of a snapshot beside those that are there, in place of those of the same names.

        Answers when the server has taken notice of them, so that custom kinds are served.
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
            # What was added keeps the controllers busy.
            pass
        return Added(objects=added)

    return router
