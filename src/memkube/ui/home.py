"""Redirects the root of the server and of the web page to the list of kinds."""

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from memkube.ui import PREFIX
from memkube.ui.page import link

router = APIRouter()


@router.get("/")
@router.get("/index.html")
@router.get(PREFIX)
@router.get(f"{PREFIX}/")
async def start() -> Response:
    """Redirects to the list of kinds."""
    return RedirectResponse(link("/kinds"), 303)
