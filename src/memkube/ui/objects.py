"""The views of one object: its fields, YAML, owners and dependents, events, history, and field managers."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from memkube.ui import PREFIX
from memkube.ui.api_client import ApiClient, Refused
from memkube.ui.fields import owned_fields
from memkube.ui.kinds import Kind, kind_at
from memkube.ui.lists import Place
from memkube.ui.page import CONTROL, At, allowed, as_yaml, at_of, client_of, render
from memkube.ui.relatives import family

VIEWS: Final = {"": "Overview", "yaml": "YAML", "history": "History", "writers": "Who wrote what"}
"""Titles of the views of an object, by the value of the query parameter ``view``."""
_EVENTS: Final = "events"
_NOT_FOUND: Final = 404
_PLACE_OF_CLUSTER_EVENTS: Final = "default"
_MOST_WATCHED: Final = 8

router = APIRouter(prefix=PREFIX)


@router.get("/api/{version}/{plural}/{name}")
@router.get("/api/{version}/namespaces/{namespace}/{plural}/{name}")
@router.get("/apis/{group}/{version}/{plural}/{name}")
@router.get("/apis/{group}/{version}/namespaces/{namespace}/{plural}/{name}")
async def show(request: Request) -> Response:
    """Shows an object in the view that the query parameter ``view`` selects."""
    place, at, client = Place.of(request), at_of(request), client_of(request)
    view = request.query_params.get("view", "")
    if view not in VIEWS:
        raise Refused(_NOT_FOUND, f"unknown view of an object: {view}")
    kind = await kind_at(client, place.group, place.version, place.plural)
    # Read the events before the object: changes after their revision are sent as live updates, so that none is lost.
    events = await allowed(_events(client, kind, place, at))
    document = None
    try:
        document = await read(client, kind, place, at)
    except Refused as error:
        if error.code != _NOT_FOUND or view != "history":
            raise
    context = await _CONTEXTS[view](client, kind, place, at, document) if view in _CONTEXTS else {}
    after = events["metadata"]["resourceVersion"] if events and not at.is_past else ""
    context.setdefault("watched", [own_watch(kind, place)])
    return await render(
        request,
        f"object_{view or 'overview'}.html",
        kind=kind,
        place=place,
        document=document,
        view=view,
        views=VIEWS,
        after=after,
        happened=None if events is None else [happened(event) for event in events["items"][::-1]],
        **context,
    )


async def read(client: ApiClient, kind: Kind, place: Place, at: At) -> Any:
    """Return the object of `kind` with the namespace and name in `place`, as of the revision `at`.

    Raises Refused 404 if the object does not exist at this revision.
    """
    if not at.is_past:
        return await client.get(kind.path(place.namespace, place.name))
    query = {"fieldSelector": f"metadata.name={place.name}"} | at.options()
    items = (await client.get(kind.path(place.namespace), query))["items"]
    if not items:
        raise Refused(_NOT_FOUND, f"{kind.group_resource} {place.name} does not exist at revision {at.revision}")
    return {"apiVersion": kind.api_version, "kind": kind.kind} | items[0]


def own_watch(kind: Kind, place: Place) -> str:
    """Return the URL for watching a single object: that of a list, with a field selector for the object's name.

    `place` has the object's namespace and name.
    """
    return f"{kind.path(place.namespace)}?fieldSelector=metadata.name%3D{place.name}"


async def _events(client: ApiClient, kind: Kind, place: Place, at: At) -> Any:
    """Return the list of Events about the object with the namespace and name in `place`, as of the revision `at`."""
    about = {"involvedObject.kind": kind.kind, "involvedObject.name": place.name}
    if place.namespace:
        about["involvedObject.namespace"] = place.namespace
    selector = ",".join(f"{name}={value}" for name, value in about.items())
    where = f"/api/v1/namespaces/{place.namespace or _PLACE_OF_CLUSTER_EVENTS}/{_EVENTS}"
    return await client.get(where, {"fieldSelector": selector} | at.options())


class Happened(NamedTuple):
    """An Event of either API version, with the fields that the page shows in its list of Events."""

    uid: str
    type: str
    reason: str
    message: str
    times: int
    time: str
    """Time of the Event's last occurrence."""
    source: str
    about: str
    """Kind and name of the Event's involved object."""


def happened(event: Mapping[str, Any]) -> Happened:
    """Return the fields of an Event that the page shows; the Event is of core/v1 or of events.k8s.io/v1."""
    series, about = event.get("series") or {}, event.get("involvedObject") or {}
    time = series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    source = event.get("reportingComponent") or (event.get("source") or {}).get("component", "")
    return Happened(
        uid=event["metadata"]["uid"],
        type=str(event.get("type") or ""),
        reason=str(event.get("reason") or ""),
        message=str(event.get("message") or ""),
        times=int(series.get("count") or event.get("count") or 1),
        time=str(time or event["metadata"].get("creationTimestamp", "")).partition(".")[0],
        source=source,
        about=f"{about.get('kind', '')} {about.get('name', '')}",
    )


async def _overview(client: ApiClient, kind: Kind, place: Place, at: At, document: Any) -> dict[str, Any]:
    tree = await family(client, kind, document, at)
    namespace = place.namespace or _PLACE_OF_CLUSTER_EVENTS
    about = f"/api/v1/namespaces/{namespace}/{_EVENTS}?fieldSelector=involvedObject.name%3D{place.name}"
    lists = {one.path(place.namespace): None for one in tree.kinds() if one != kind}
    watched = [own_watch(kind, place), about, *lists][:_MOST_WATCHED]
    shown = {name: value for name, value in document.items() if name not in ("apiVersion", "kind", "metadata")}
    metadata = {name: value for name, value in document["metadata"].items() if name != "managedFields"}
    return {"tree": tree, "watched": watched, "fields": {"metadata": metadata} | shown}


async def _yaml(client: ApiClient, kind: Kind, place: Place, at: At, document: Any) -> dict[str, Any]:
    metadata = {name: value for name, value in document["metadata"].items() if name != "managedFields"}
    return {"yaml": as_yaml(document | {"metadata": metadata})}


async def _history(client: ApiClient, kind: Kind, place: Place, at: At, document: Any) -> dict[str, Any]:
    resource = ".".join(filter(None, (kind.plural, kind.version, kind.group)))
    query = {"namespace": place.namespace} if place.namespace else {}
    problem, history = "", dict[str, Any](items=[], completeSince=0)
    try:
        history = await client.get(f"{CONTROL}/history/{resource}/{place.name}", query)
    except Refused as error:
        if document is None:
            raise
        problem = error.message
    return {"history": history["items"][::-1], "complete_since": history["completeSince"], "problem": problem}


async def _writers(client: ApiClient, kind: Kind, place: Place, at: At, document: Any) -> dict[str, Any]:
    return {"owned": owned_fields(document)}


_CONTEXTS: Final[Mapping[str, Any]] = {"": _overview, "yaml": _yaml, "history": _history, "writers": _writers}
