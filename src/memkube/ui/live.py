"""Live updates of a view as server-sent events: changed rows, notices of other changes, and the clock."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl, urlsplit

import orjson
from fastapi import APIRouter, Header, Query, Request
from jinja2 import Environment
from sse_starlette import EventSourceResponse, ServerSentEvent

from memkube.ui import PREFIX
from memkube.ui.api_client import ApiClient, Refused
from memkube.ui.kinds import kind_at
from memkube.ui.lists import selectors
from memkube.ui.page import CONTROL, At, client_of, ui_of
from memkube.ui.polling import PolledList
from memkube.ui.tables import TABLE, Column, TableView, columns_of, row_html, rows_of

_METADATA: Final = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
_BATCH_SECONDS: Final = 0.05
_CLOCK_SECONDS: Final = 0.25
_MOST_WATCHES: Final = 16
_GONE: Final = 410
_FAILED: Final = 429
"""Lowest HTTP status that means that the server cannot answer now. The page then sends the request again.

A server that shuts down answers 429.
"""

router = APIRouter(prefix=PREFIX)


@router.get("/live")
async def live(
    request: Request,
    watch: Annotated[list[str], Query()] = [],  # noqa: B006  FastAPI copies defaults
    table: str = "",
    poll: str = "",
    after: str = "",
    last_event_id: Annotated[str, Header()] = "",
) -> EventSourceResponse:
    """Sends live updates as server-sent events.

    The events contain the changed rows of the list at the URL path `table`, and those URL paths in `watch` whose lists
    have changed. An event is also sent if the list at the URL path `poll` of the control API has changed.

    `after` has the revisions after which changes are sent: one revision for each path, separated by ``-``, or one for
    all paths. When the browser reconnects, `last_event_id` replaces it.
    """
    client, paths = client_of(request), [*([table] if table else []), *watch][:_MOST_WATCHES]
    for path in paths:
        if not path.startswith(("/api/", "/apis/")):
            raise Refused(
                400, f"{path} is not the URL path of a list of objects: it begins with neither /api/ nor /apis/"
            )
    starts = (last_event_id or after).split("-")
    if len(starts) != len(paths):
        starts = [starts[0]] * len(paths)
    feeds = [_feed(path, start) for path, start in zip(paths, starts, strict=True)]
    if table:
        feeds[0] = await _rows_at(client, table, starts[0], selectors(request), ui_of(request).templates)
    if poll and not poll.startswith(f"{CONTROL}/"):
        raise Refused(400, f"{poll} is not a URL path of the control API: it does not begin with {CONTROL}/")
    polled = PolledList(client, poll) if poll else None
    return EventSourceResponse(_events(client, feeds, polled), ping=15, headers={"cache-control": "no-store"})


def _feed(path: str, after: str) -> "Feed":
    """Return the feed of changes after revision `after` of the list at `path`, whose query may contain selectors."""
    parts = urlsplit(path)
    return Feed(parts.path, after, dict(parse_qsl(parts.query)))


class Feed:
    """Collects the changes of one list between two messages to the browser.

    A message says that the list has changed, but not how.
    """

    accept = _METADATA

    def __init__(self, path: str, after: str, query: Mapping[str, str]) -> None:
        self.path = path
        self.after = after
        """The revision up to which changes have arrived."""
        self.query = query
        self.changed = False

    def take(self, event: Any) -> None:
        """Record that an event of the list's watch has arrived."""
        self.changed = True

    def message(self) -> Any:
        """Return the data of the next message to the browser, or None if nothing has changed since the last one."""
        changed, self.changed = self.changed, False
        return {"path": self.path} if changed else None


class RowFeed(Feed):
    """The changed rows of a table. If an object changes twice between two messages, only its last row is sent."""

    accept = TABLE

    def __init__(self, path: str, after: str, query: Mapping[str, str], view: TableView, templates: Environment):
        super().__init__(path, after, query)
        self._view = view
        self._templates = templates
        self._columns: Sequence[Column] = ()
        self._rows: dict[str, str] = {}

    def take(self, event: Any) -> None:
        table = event["object"]
        if table.get("columnDefinitions"):
            self._columns = columns_of(table)
        is_gone = event["type"] == "DELETED"
        for row in rows_of(table, self._columns):
            # Remove the earlier row of the object, so that the rows stay in the order of the changes.
            self._rows.pop(row.key, None)
            self._rows[row.key] = "" if is_gone else row_html(self._templates, self._view, row)

    def message(self) -> Any:
        rows, self._rows = self._rows, {}
        return {"rows": list(rows.items())} if rows else None


async def _rows_at(
    client: ApiClient, path: str, after: str, query: Mapping[str, str], templates: Environment
) -> RowFeed:
    """Return a RowFeed: it collects the table rows that change, after revision `after`, in the list at `path`.

    `query` has the selectors of the list. `client` is used to look up the kind of its objects, and `templates` to
    render the rows as HTML. Raises Refused 404 if the server serves no list at this path.
    """
    parts = path.split("/")[1:]
    group, version, rest = ("", parts[1], parts[2:]) if parts[0] == "api" else (parts[1], parts[2], parts[3:])
    is_in_namespace = len(rest) == 3 and rest[0] == "namespaces"
    kind = await kind_at(client, group, version, rest[-1] if rest else "")
    view = TableView(kind, kind.namespaced and not is_in_namespace, At(0))
    return RowFeed(path, after, query, view, templates)


class _Follower:
    """Follows the lists of one view: reads a watch of each list, until changes are lost or the server shuts down."""

    def __init__(self, client: ApiClient, feeds: Sequence[Feed]) -> None:
        self._client = client
        self._feeds = feeds
        self.news = asyncio.Event()
        self.is_lost = False
        """True if changes are missing, so that the browser must load the view again."""
        self.is_over = False
        """True if the server refuses requests for the time being, so that the browser must ask again later."""

    async def follow(self, feed: Feed) -> None:
        """Watch the list of `feed`, and pass the events to `feed`. If the server ends the watch, open it again."""
        try:
            while not (self.is_lost or self.is_over):
                await self._watch(feed)
        except Refused as error:
            # A watch that the user may not open is left out: the rest of the view stays live.
            self.is_lost = self.is_lost or error.code == _GONE
            self.is_over = self.is_over or error.code >= _FAILED
            self.news.set()

    async def _watch(self, feed: Feed) -> None:
        options = {"watch": "1", "allowWatchBookmarks": "true", "resourceVersion": feed.after}
        async with self._client.stream(feed.path, {**feed.query, **options}, feed.accept) as lines:
            async for line in lines:
                event = orjson.loads(line)
                if event["type"] == "ERROR":
                    raise Refused(event["object"].get("code", _FAILED), event["object"].get("message", ""))
                feed.after = _revision_of(event["object"]) or feed.after
                if event["type"] != "BOOKMARK":
                    feed.take(event)
                    self.news.set()

    @property
    def place(self) -> str:
        """Newest revision received for each list, joined by ``-``. The browser resumes its live updates there."""
        return "-".join(feed.after for feed in self._feeds)


def _revision_of(document: Any) -> str:
    rows = document.get("rows")
    if rows:
        document = rows[-1]["object"]
    return str(document.get("metadata", {}).get("resourceVersion", ""))


async def _events(
    client: ApiClient, feeds: Sequence[Feed], polled: PolledList | None
) -> AsyncIterator[ServerSentEvent]:
    follower, time = _Follower(client, feeds), _Time(client)
    tasks = [asyncio.create_task(follower.follow(feed)) for feed in feeds]
    try:
        while not (follower.is_lost or follower.is_over):
            clock = await time.news()
            if clock is not None:
                yield _event("time", clock, follower.place)
            if polled is not None and await polled.has_changed():
                yield _event("changed", {}, follower.place)
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOCK_SECONDS):
                    await follower.news.wait()
                # Wait a moment, so that changes that follow at once are sent in the same message.
                await asyncio.sleep(_BATCH_SECONDS)
            follower.news.clear()
            for feed in feeds:
                message = feed.message()
                if message is not None:
                    yield _event("rows" if isinstance(feed, RowFeed) else "changed", message, follower.place)
        if follower.is_lost:
            yield _event("lost", {}, "")
    except Refused:
        # The server is shutting down. The browser asks again until the server answers.
        return
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _event(name: str, data: Any, place: str) -> ServerSentEvent:
    return ServerSentEvent(orjson.dumps(data).decode(), event=name, id=place or None)


class _Time:
    """The clock and the range of revisions that were last sent to the browser."""

    def __init__(self, client: ApiClient) -> None:
        self._client = client
        self._told: Any = None
        self._is_forbidden = False

    async def news(self) -> Any:
        """Return the clock and the revisions if the browser does not know them yet, otherwise None.

        For a running clock, only a change of its speed is news, because the browser advances the shown time by itself.
        Raises Refused if the server shuts down.
        """
        if self._is_forbidden:
            return None
        try:
            clock = await self._client.get(f"{CONTROL}/clock")
            revisions = await self._client.get(f"{CONTROL}/revisions")
        except Refused as error:
            if error.code >= _FAILED:
                raise
            self._is_forbidden = True
            return None
        known = (clock["mode"], clock["speed"], "" if clock["speed"] else (clock["now"], clock["next"]), revisions)
        if known == self._told:
            return None
        self._told = known
        return {"clock": clock, "revisions": revisions}
