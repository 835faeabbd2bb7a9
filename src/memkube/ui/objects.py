"""One object: its fields, its YAML, its relatives, its events and its history."""

from typing import Any

import yaml
from fastapi import APIRouter, Request
from starlette.responses import Response

from memkube.ui import PREFIX
from memkube.ui.api_client import ApiClient, Refused
from memkube.ui.kinds import Kind, kind_at
from memkube.ui.lists import Place
from memkube.ui.page import At, at_of, client_of, render

router = APIRouter(prefix=PREFIX)


@router.get("/api/{version}/{plural}/{name}")
@router.get("/api/{version}/namespaces/{namespace}/{plural}/{name}")
@router.get("/apis/{group}/{version}/{plural}/{name}")
@router.get("/apis/{group}/{version}/namespaces/{namespace}/{plural}/{name}")
async def show(request: Request) -> Response:
    """Shows an object."""
    place, at, client = Place.of(request), at_of(request), client_of(request)
    kind = await kind_at(client, place.group, place.version, place.plural)
    document = await read(client, kind, place, at)
    text = yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)
    return await render(request, "object.html", kind=kind, place=place, document=document, yaml=text)


async def read(client: ApiClient, kind: Kind, place: Place, at: At) -> Any:
    """Return an object as of a revision. Raises Refused 404 if it does not exist then."""
    if not at.is_past:
        return await client.get(kind.path(place.namespace, place.name))
    query = {"fieldSelector": f"metadata.name={place.name}"} | at.options()
    items = (await client.get(kind.path(place.namespace), query))["items"]
    if not items:
        raise Refused(404, f"{kind.group_resource} {place.name} does not exist at revision {at.revision}")
    return {"apiVersion": kind.api_version, "kind": kind.kind} | items[0]
