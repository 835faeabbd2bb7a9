"""The view of the newest changes of all objects, each with a diff."""

from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from memkube.ui import PREFIX
from memkube.ui.api_client import Refused
from memkube.ui.kinds import Kind, all_kinds
from memkube.ui.page import CONTROL, at_of, client_of, link, render

_SHOWN: Final = 50
_NOISE: Final = ("core/events", "events.k8s.io/events", "coordination.k8s.io/leases")
"""Resources that change all the time. Their changes are shown only if the user asks for them."""

router = APIRouter(prefix=PREFIX)


@router.get("/changes")
async def show(request: Request) -> Response:
    """Shows the newest changes up to the revision in the query."""
    at, client = at_of(request), client_of(request)
    shows_all = bool(request.query_params.get("all"))
    query: dict[str, Any] = {"limit": str(_SHOWN)}
    if at.is_past:
        query["until"] = str(at.revision)
    if not shows_all:
        query["without"] = _NOISE
    found = await client.get(f"{CONTROL}/changes", query)
    kinds = {(kind.group, kind.plural): kind for kind in await all_kinds(client)}
    changes = [(change, _path_of(kinds, change)) for change in found["items"]]
    return await render(request, "changes.html", changes=changes, shows_all=shows_all)


@router.get("/object")
async def find(request: Request) -> Response:
    """Redirects to the page of the object whose group, plural, namespace and name are in the query."""
    given = request.query_params
    kinds = {(kind.group, kind.plural): kind for kind in await all_kinds(client_of(request))}
    path = _path_of(kinds, {part: given.get(part, "") for part in ("group", "resource", "namespace", "name")})
    if not path:
        raise Refused(404, f"the server does not serve {given.get('resource', '')} any more")
    return RedirectResponse(link(path, at=at_of(request).revision, view=given.get("view", "")), 303)


def _path_of(kinds: dict[tuple[str, str], Kind], change: Any) -> str:
    """Return the API path of the object that `change` names; empty if the server no longer serves its kind.

    `kinds` are the served kinds by group and plural.
    """
    kind = kinds.get((change["group"], change["resource"]))
    return kind.path(change["namespace"], change["name"]) if kind else ""
