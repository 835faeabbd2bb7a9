"""The requests of clients, with refusals and faults, and the RBAC rules that refused clients would have needed."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from memkube.ui import PREFIX
from memkube.ui.page import CONTROL, allowed, as_yaml, client_of, render

_SHOWN: Final = 200
_BINDINGS: Final = frozenset({"RoleBinding", "ClusterRoleBinding"})
_ONLY: Final[Mapping[str, dict[str, Any]]] = {
    "": {},
    "refused": {"denied": "true"},
    "faults": {"fault": "?*"},
    "errors": {"status": ("400", "403", "404", "409", "410", "422", "429", "500", "503", "504")},
}
"""The query parameters for the control API that each value of the page's parameter ``only`` stands for."""
_FILTERS: Final = ("verb", "resource", "client", "namespace", "name")

router = APIRouter(prefix=PREFIX)


class MissingRights(NamedTuple):
    """The rights that a user lacked in refused requests."""

    user: str
    refused: int
    """Number of refused requests."""
    rules: list[str]
    """The missing rules in words, such as ``list secrets in default``."""
    yaml: str
    """Roles and bindings that give the missing rights."""


@router.get("/requests")
async def show(request: Request) -> Response:
    """Shows the newest requests of clients."""
    client, given = client_of(request), request.query_params
    only = given.get("only", "")
    query: dict[str, Any] = {"limit": str(_SHOWN)} | dict(_ONLY.get(only, {}))
    query |= {name: given[name] for name in _FILTERS if given.get(name)}
    if given.get("controllers"):
        query["controllers"] = "true"
    found = (await client.get(f"{CONTROL}/requests", query))["items"][::-1]
    audit = await allowed(client.get(f"{CONTROL}/audit", {"refused": "true"}))
    return await render(
        request,
        "requests.html",
        answered=[one for one in found if not one["inFlight"]],
        open=[one for one in found if one["inFlight"]],
        only=only,
        missing=[_missing(one) for one in audit["users"]] if audit else [],
        polled=f"{CONTROL}/requests",
    )


def _missing(audited: Any) -> MissingRights:
    roles = audited["roles"]
    rules = [
        _words(rule, role["metadata"].get("namespace", ""))
        for role in roles
        if role["kind"] not in _BINDINGS
        for rule in role.get("rules") or ()
    ]
    return MissingRights(audited["user"], audited["refused"], rules, "---\n".join(map(as_yaml, roles)))


def _words(rule: Mapping[str, Any], namespace: str) -> str:
    """Describe an RBAC rule in words, such as ``list secrets in default``."""
    what = rule.get("nonResourceURLs") or [
        f"{resource}.{group}" if group else resource
        for group in rule.get("apiGroups") or ("",)
        for resource in rule.get("resources") or ()
    ]
    where = f" in {namespace}" if namespace else ""
    return f"{', '.join(rule['verbs'])} {', '.join(what)}{where}"
