"""The kinds that the server serves, as discovery describes them, and the view that lists them."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from memkube.ui import PREFIX
from memkube.ui.api_client import ApiClient, Refused
from memkube.ui.page import client_of, render

_DISCOVERY: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

router = APIRouter(prefix=PREFIX)


class Kind(NamedTuple):
    """A kind that the server can list: its names in the API, its verbs, and whether it is namespaced."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    verbs: tuple[str, ...]
    short_names: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    """Names of the subresources; empty unless they were requested."""

    @property
    def root(self) -> str:
        """API path of the group and version, such as ``/apis/apps/v1``."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    @property
    def group_resource(self) -> str:
        """The name by which kubectl finds the kind, such as ``deployments.apps``."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def api_version(self) -> str:
        """Value of ``apiVersion`` in objects of this kind."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "", name: str = "") -> str:
        """Return the API path of the list of this kind, or of the object `name`."""
        place = f"/namespaces/{namespace}" if namespace else ""
        return f"{self.root}{place}/{self.plural}{'/' + name if name else ''}"


@router.get("/kinds")
async def show(request: Request) -> Response:
    """Shows links to the lists of all kinds, by API group."""
    kinds = await all_kinds(client_of(request))
    groups: dict[str, list[Kind]] = {}
    for kind in kinds:
        groups.setdefault(kind.group, []).append(kind)
    return await render(request, "kinds.html", groups=groups, count=len(kinds))


async def all_kinds(client: ApiClient) -> list[Kind]:
    """Return all kinds that can be listed, each in its preferred version, in the order of the discovery document."""
    found: dict[tuple[str, str], Kind] = {}
    for root in ("/api", "/apis"):
        for group in (await client.get(root, accept=_DISCOVERY))["items"]:
            for kind in _kinds_of(group):
                found.setdefault((kind.group, kind.plural), kind)
    return list(found.values())


async def kind_at(client: ApiClient, group: str, version: str, plural: str) -> Kind:
    """Return the kind with this group, version and plural. Raises Refused 404 if the server does not serve it."""
    root = f"/apis/{group}/{version}" if group else f"/api/{version}"
    resources = (await client.get(root))["resources"]
    for resource in resources:
        if resource["name"] == plural:
            names = tuple(resource.get("shortNames", ()))
            verbs = tuple(resource["verbs"])
            beneath = (
                one["name"].removeprefix(f"{plural}/") for one in resources if one["name"].startswith(f"{plural}/")
            )
            return Kind(group, version, plural, resource["kind"], resource["namespaced"], verbs, names, tuple(beneath))
    raise Refused(404, f"the server has no resource {plural} in {root.removeprefix('/')}")


def _kinds_of(group: Any) -> Iterator[Kind]:
    name = group["metadata"].get("name", "")
    for version in group["versions"]:
        for resource in version.get("resources", ()):
            verbs = tuple(resource["verbs"])
            if "list" in verbs:
                kind, is_namespaced = resource["responseKind"]["kind"], resource["scope"] == "Namespaced"
                names = tuple(resource.get("shortNames", ()))
                yield Kind(name, version["version"], resource["resource"], kind, is_namespaced, verbs, names)
