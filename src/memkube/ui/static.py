"""The stylesheet, the scripts and the icon of the page, which are part of the package."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from memkube.ui import PREFIX
from memkube.ui.api_client import Refused

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}

router = APIRouter(prefix=PREFIX)


class _File(NamedTuple):
    content: bytes
    tag: str


@router.get("/static/{name}")
async def show(request: Request, name: str) -> Response:
    """Returns a static file, or 304 if the browser has it already (ETag)."""
    ending = name.rpartition(".")[2]
    if ending not in _TYPES or not (file := _files().get(name)):
        raise Refused(404, f"the page has no file {name}")
    headers = {"etag": file.tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=_TYPES[ending], headers=headers)


@cache
def _files() -> dict[str, _File]:
    """Return the static files of the web page by name. They are read once per process."""
    found = {one.name: one.read_bytes() for one in (files("memkube.ui") / "static").iterdir() if one.is_file()}
    return {name: _File(content, f'"{sha256(content).hexdigest()[:16]}"') for name, content in found.items()}
