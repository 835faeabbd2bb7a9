"""``/requests``: shows, counts and deletes the requests in the request log."""

from datetime import datetime
from time import monotonic
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from memkube.apimachinery.strict_model import StrictModel
from memkube.control.server_parts import ServerParts
from memkube.telemetry.request_query import RequestQuery, Requests


class _Answer(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)


class Request(_Answer):
    """A request in the request log, with the status of its answer."""

    number: int = Field(description="Number of the request in the order of answers, from 1; 0 while it is in progress.")
    verb: str = Field(description="Verb of the request, as in RBAC rules, such as list or deletecollection.")
    group: str
    version: str
    resource: str
    subresource: str
    namespace: str
    name: str
    path: str
    query: str
    user: str
    client: str = Field(description="Name of the client: its user agent up to the first slash.")
    user_agent: str
    field_manager: str
    instant: datetime = Field(description="Time of the server's clock at which the request arrived.")
    seconds: float = Field(description="Duration of the request, in seconds of real time.")
    code: int = Field(description="HTTP status; 0 if there was no answer yet.")
    reason: str
    message: str
    denied: bool = Field(description="True if the request was refused because the user lacks a right.")
    revision: int = Field(
        description="resourceVersion of the answer: of the object, of the list, or of the last event of a watch."
    )
    body: Any = Field(description="Body of the request, without the values of Secrets.")
    body_bytes: int
    warnings: list[str]
    audit_annotations: dict[str, str]
    dry_run: bool
    fault: str = Field(description="Name of the fault that was applied to the request.")
    in_flight: bool = Field(description="True while the request is in progress, as open watches are.")
    events: int = Field(description="Number of events that a watch has sent.")
    controller: bool = Field(description="True for a request of the server's own controllers.")


class RequestList(_Answer):
    """Requests in the order of their answers; those in progress come last."""

    items: list[Request]
    answered: int = Field(
        description="Number of requests answered so far. Send it as `after` to get only requests answered later."
    )


class RequestCounts(_Answer):
    """Number of the selected requests, for each client and verb."""

    clients: dict[str, dict[str, int]] = Field(
        description="Numbers of requests by client (user agent up to the slash), then by verb."
    )


class Cleared(_Answer):
    """The number of requests that were deleted from the log."""

    requests: int


class Recording(_Answer):
    """Setting that decides if requests of the server's own controllers are recorded."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)
    controllers: bool = Field(description="True to record requests of the server's own controllers.")


class RequestFilter(StrictModel):
    """Conditions that a request in the log must meet. ``*``, ``?`` and ``[...]`` are wildcards, as in file names."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    verb: list[str] = Field(default=[], description="Verbs, as in RBAC rules, one of which the request must have.")
    resource: str = Field(
        default="", description="Plural of the resource, such as pods, pods/status or deployments.apps; any if empty."
    )
    client: str = Field(
        default="",
        description="User agent of the client, whole or up to the slash, or name of the user; of all clients if empty.",
    )
    namespace: str = ""
    name: str = ""
    status: list[int] = Field(default=[], description="HTTP statuses, one of which the response must have.")
    fault: str = Field(default="", description="Only requests to which the fault with this name was applied.")
    since_revision: int = Field(
        default=0, ge=0, description="Only requests that arrived after this revision was written."
    )
    since: AwareDatetime | None = Field(
        default=None, description="Only requests that arrived at this time of the server's clock or later."
    )
    after: int = Field(
        default=0,
        ge=0,
        description="Only requests that were answered after the request with this number, and requests in progress.",
    )
    in_flight: bool | None = None
    denied: bool | None = Field(
        default=None,
        description="True to select only requests that were refused because the user lacks a right, False to select "
        "only the others.",
    )
    controllers: bool = Field(default=False, description="True to include requests of the server's own controllers.")

    def query(self) -> RequestQuery:
        """Return the conditions in the query parameters of the HTTP request as a query of the request log."""
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
            self.denied,
            self.controllers,
        )


class RequestListFilter(RequestFilter):
    """Selects the requests in the log that the control API shows."""

    limit: int = Field(default=0, ge=0, description="Maximum number of requests to show, the newest ones; 0 for all.")
    wait_seconds: float = Field(
        default=0,
        ge=0,
        le=60,
        description="Maximum number of seconds of real time to wait until the log has a selected request.",
    )


def requests_router(parts: ServerParts) -> APIRouter:
    """Return the routes that show and clear the log of requests."""
    router = APIRouter(prefix="/requests", tags=["requests"])
    log, requests = parts.request_log, requests_of(parts)

    @router.get("")
    async def show(wanted: Annotated[RequestListFilter, Query()]) -> RequestList:
        """Lists the selected requests.

        With the parameter `waitSeconds`, waits until at least one request is selected.
        """
        query, until = wanted.query(), monotonic() + wanted.wait_seconds
        answered, found = log.ended, requests.found(query)
        while not found and (left := until - monotonic()) > 0:
            await log.wait(left)
            answered, found = log.ended, requests.found(query)
        items = [Request.model_validate(request) for request in found[-wanted.limit :]]
        return RequestList(items=items, answered=answered)

    @router.get("/counts")
    async def count(wanted: Annotated[RequestFilter, Query()]) -> RequestCounts:
        """Counts requests by client and verb."""
        return RequestCounts(clients=requests.counted(wanted.query()))

    @router.delete("")
    async def clear(wanted: Annotated[RequestFilter, Query()]) -> Cleared:
        """Deletes the selected requests from the log, except those in progress."""
        return Cleared(requests=requests.cleared(wanted.query()))

    @router.put("/recording")
    async def record(recording: Recording) -> Recording:
        """Sets whether requests of the server's own controllers are recorded from now on."""
        log.record_controllers(recording.controllers)
        return recording

    return router


def requests_of(parts: ServerParts) -> Requests:
    """Return the object that selects and counts the requests in a server's log."""
    return Requests(parts.request_log, parts.registry.catalog)
