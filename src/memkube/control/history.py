"""``/history``, ``/changes``, ``/revisions``: changes of one object and of all, and the revisions that can be read."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from memkube.control.server_parts import ServerParts
from memkube.telemetry.object_history import newest_changes, object_history

MOST_CHANGES: Final = 500


class _Answer(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)


class Revision(_Answer):
    """One change of an object: a create, an update or a delete."""

    revision: int
    what: str = Field(description="What the write did to the object: created, updated or deleted.")
    by: str = Field(
        description="The client and the verb of the write, if the request log contains the request; else the field "
        "manager, if it is known."
    )
    diff: list[str] = Field(description="Lines of the object's YAML that this write added, changed or removed.")
    document: dict[str, Any] = Field(description="The object after this change; for a deletion, its last state.")


class History(_Answer):
    """The changes of an object that are still in the history, oldest first."""

    items: list[Revision]
    complete_since: int = Field(
        description="Revision after which no change is missing; 0 if all changes since the first revision are known."
    )


class Change(_Answer):
    """A create, update or delete of an object: which object, when, by which client, and the changed lines."""

    revision: int
    what: str = Field(description="What the write did to the object: created, updated or deleted.")
    group: str
    resource: str = Field(description="Plural of the resource, in the API group under which the object is stored.")
    namespace: str
    name: str
    by: str = Field(description="The client and the verb of the write, or the field manager; empty if unknown.")
    diff: list[str] = Field(description="Lines of the object's YAML that this write added, changed or removed.")
    time: str = Field(description="The time of the change on the server's clock; empty if it is unknown.")


class Changes(_Answer):
    """The answer to ``/changes``: a list of changes of all objects, newest first."""

    items: list[Change]


class Revisions(_Answer):
    """The revisions at which objects can be listed."""

    oldest: int = Field(description="The oldest revision that is kept; 0 if nothing has been compacted.")
    newest: int = Field(description="The revision of the newest write to any object of the cluster.")


def history_router(parts: ServerParts) -> APIRouter:
    """Return the routes that show the history of objects, and the oldest and newest revision that can be listed."""
    router = APIRouter(tags=["history"])

    @router.get("/revisions")
    async def show_revisions() -> Revisions:
        """Shows the oldest and the newest revision that can be listed with resourceVersionMatch=Exact."""
        oldest, newest = await parts.registry.kept_revisions()
        return Revisions(oldest=oldest, newest=newest)

    @router.get("/changes")
    async def show_changes(
        after: Annotated[int, Query(ge=0, description="Only changes after this revision.")] = 0,
        until: Annotated[int, Query(ge=0, description="Only changes up to this revision; 0 for the newest.")] = 0,
        limit: Annotated[
            int, Query(ge=1, le=MOST_CHANGES, description="Maximum number of changes in the answer, the newest ones.")
        ] = 50,
        without: Annotated[
            list[str], Query(description="Resources whose changes are left out, such as core/events.")
        ] = [],  # noqa: B006  FastAPI copies defaults
    ) -> Changes:
        """Lists the newest changes of all objects.

        Answers 410 if the history after the requested revision has been compacted.
        """
        oldest, newest = await parts.registry.kept_revisions()
        bounds = after or oldest, until or newest
        found = await newest_changes(parts.registry, parts.request_log, *bounds, limit, without)
        return Changes(items=[Change.model_validate(change) for change in found])

    @router.get("/history/{resource}/{name}")
    async def show(
        resource: str,
        name: str,
        namespace: str = "default",
        since: Annotated[int, Query(ge=0, description="Only changes after this revision.")] = 0,
    ) -> History:
        """Lists the changes of an object.

        Answers 410 if the history after the requested revision has been compacted.
        """
        history = await object_history(parts.registry, parts.request_log, resource, name, namespace, since)
        items = [Revision.model_validate(revision) for revision in history]
        return History(items=items, complete_since=history.complete_since)

    return router
