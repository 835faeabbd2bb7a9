"""The view of a list: objects of one kind in one or all namespaces, with selectors, now or at a past revision."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from memkube.ui import PREFIX
from memkube.ui.api_client import Refused
from memkube.ui.kinds import kind_at
from memkube.ui.page import allowed, at_of, client_of, render, ui_of
from memkube.ui.tables import TABLE, TableView, columns_of, row_html, rows_of

MOST_ROWS: Final = 2500
"""Maximum number of objects that one page of a list shows."""
_WIDE: Final = "wide"

router = APIRouter(prefix=PREFIX)


class Place(NamedTuple):
    """Group, version, namespace, plural and name in the path of a list or an object."""

    group: str
    version: str
    namespace: str
    plural: str
    name: str

    @classmethod
    def of(cls, request: Request) -> "Place":
        """Return the group, version, namespace, plural and name in the path of a request."""
        parts: Mapping[str, str] = request.path_params
        return cls(*(parts.get(part, "") for part in ("group", "version", "namespace", "plural", "name")))


def selectors(request: Request) -> dict[str, str]:
    """Return the label and field selectors in the query of a page request as query parameters for the API."""
    given = {"labelSelector": request.query_params.get("labels"), "fieldSelector": request.query_params.get("fields")}
    return {name: value for name, value in given.items() if value}


@router.get("/api/{version}/{plural}")
@router.get("/api/{version}/namespaces/{namespace}/{plural}")
@router.get("/apis/{group}/{version}/{plural}")
@router.get("/apis/{group}/{version}/namespaces/{namespace}/{plural}")
async def show(request: Request) -> Response:
    """Shows the objects of one kind as a table."""
    place, at, client, ui = Place.of(request), at_of(request), client_of(request), ui_of(request)
    kind = await kind_at(client, place.group, place.version, place.plural)
    if place.namespace and not kind.namespaced:
        raise Refused(404, f"{kind.kind} is a cluster-scoped kind: its objects have no namespace")
    path, asked = kind.path(place.namespace), selectors(request)
    query = {"limit": str(MOST_ROWS)} | asked
    after = request.query_params.get("continue", "")
    query |= {"continue": after} if after else at.options()
    problem, table = "", dict[str, Any]()
    try:
        table = await client.get(path, query, TABLE)
    except Refused as error:
        if error.code != 400:
            raise
        # Show the form again, with the malformed selector and the error.
        problem = error.message
    columns = columns_of(table) if table else []
    view = TableView(kind, kind.namespaced and not place.namespace, at)
    rows = [row_html(ui.templates, view, row) for row in rows_of(table, columns)] if table else []
    namespaces = await allowed(client.get("/api/v1/namespaces")) if kind.namespaced else None
    metadata = table.get("metadata", {})
    return await render(
        request,
        "list.html",
        400 if problem else 200,
        kind=kind,
        namespace=place.namespace,
        namespaces=[one["metadata"]["name"] for one in namespaces["items"]] if namespaces else [],
        columns=columns,
        view=view,
        rows=rows,
        problem=problem,
        asked=asked,
        wide=request.query_params.get("columns") == _WIDE,
        revision=metadata.get("resourceVersion", ""),
        next_page=metadata.get("continue", ""),
        watched=path,
    )
