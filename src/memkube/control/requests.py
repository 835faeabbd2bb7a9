"""``/requests``: what was asked, by whom, and how it was answered."""

from datetime import datetime
from time import monotonic
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from memkube.control.server_parts import ServerParts
from memkube.telemetry.request_query import RequestQuery, Requests


class _Answer(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)


class Request(_Answer):
    """A request."""

    number: int = Field(description="Its place in the order of answers; 0 as long as it is under way.")
    verb: str = Field(description="As RBAC names it.")
    group: str
    version: str
    resource: str
    subresource: str
    namespace: str
    name: str
    path: str
    query: str
    user: str
    client: str = Field(description="What the client calls itself: its user agent up to the first slash.")
    user_agent: str
    field_manager: str
    instant: datetime = Field(description="When it came, on the server's clock.")
    seconds: float = Field(description="How long it took, on the wall.")
    code: int = Field(description="The HTTP status; 0 where there is none yet, or never was.")
    reason: str
    message: str
    revision: int = Field(description="Of the answer: an object's, a list's, or up to where a watch has come.")
    body: Any = Field(description="What was sent, without the values of Secrets.")
    body_bytes: int
    warnings: list[str]
    audit_annotations: dict[str, str]
    dry_run: bool
    fault: str = Field(description="The name of the fault that hit it.")
    in_flight: bool = Field(description="Whether it is under way, as open watches are.")
    events: int = Field(description="How many events a watch has sent.")
    controller: bool = Field(description="Whether a controller in the server has made it.")


class RequestList(_Answer):
    """Requests in the order of their answers; those under way come last."""

    items: list[Request]
    answered: int = Field(description="How many requests the server has answered: the number to go on after.")


class RequestCounts(_Answer):
    """How many requests there were."""

    clients: dict[str, dict[str, int]] = Field(description="By client and verb.")


class Cleared(_Answer):
    """What was forgotten."""

    requests: int


class Recording(_Answer):
    """What is recorded from now on."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)
    controllers: bool = Field(description="Whether requests of the controllers in the server are recorded too.")


class Which(BaseModel):
    """Which requests are meant. ``*``, ``?`` and ``[...]`` stand for others, as in file names."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)
    verb: list[str] = Field(default=[], description="As RBAC names them; any of those.")
    resource: str = Field(default="", description="pods, pods/status or deployments.apps.")
    client: str = Field(default="", description="Up to the slash of its user agent, or as a whole; or the user.")
    namespace: str = ""
    name: str = ""
    status: list[int] = Field(default=[], description="HTTP status; any of those.")
    fault: str = Field(default="", description="Name of a fault that hit them.")
    since_revision: int = Field(default=0, ge=0, description="They came when this revision had been written.")
    since: AwareDatetime | None = Field(default=None, description="They came then, on the server's clock, or later.")
    after: int = Field(default=0, ge=0, description="They have a higher number, or are under way.")
    in_flight: bool | None = None
    controllers: bool = Field(default=False, description="Those of the server's own controllers are meant, too.")

    def query(self) -> RequestQuery:
        """The same as the log understands it."""
        return RequestQuery(
            tuple(self.verb),
            self.resource,
            self.client,
            self.namespace,
            self.name,
            tuple(self.status),
            self.fault,
            self.since_revision,
            self.since,
            self.after,
            self.in_flight,
            self.controllers,
        )


class Shown(Which):
    """Which requests are shown."""

    limit: int = Field(default=0, ge=0, description="The last so many; 0 for all.")
    wait_seconds: float = Field(default=0, ge=0, le=60, description="How long to wait, on the wall, for the first.")


def requests_router(parts: ServerParts) -> APIRouter:
    """Shows the log of requests, and forgets it."""
    router = APIRouter(prefix="/requests", tags=["requests"])
    log, requests = parts.request_log, requests_of(parts)

    @router.get("")
    async def show(shown: Annotated[Shown, Query()]) -> RequestList:
        """Lists requests."""
        query, until = shown.query(), monotonic() + shown.wait_seconds
        answered, found = log.ended, requests.found(query)
        while not found and (left := until - monotonic()) > 0:
            await log.wait(left)
            answered, found = log.ended, requests.found(query)
        items = [Request.model_validate(request) for request in found[-shown.limit :]]
        return RequestList(items=items, answered=answered)

    @router.get("/counts")
    async def count(which: Annotated[Which, Query()]) -> RequestCounts:
        """Counts requests by client and verb."""
        return RequestCounts(clients=requests.counted(which.query()))

    @router.delete("")
    async def clear(which: Annotated[Which, Query()]) -> Cleared:
        """Forgets requests that have been answered."""
        return Cleared(requests=requests.cleared(which.query()))

    @router.put("/recording")
    async def record(recording: Recording) -> Recording:
        """Says what is recorded from now on."""
        log.record_controllers(recording.controllers)
        return recording

    return router


def requests_of(parts: ServerParts) -> Requests:
    """Answers about the log of a server."""
    return Requests(parts.request_log, parts.registry.catalog)
