"""Redirects the root of the server and of the web page to the view of the first link in the page's header."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from memkube.ui import PREFIX
from memkube.ui.page import link, ui_of

router = APIRouter()


@router.get("/")
@router.get("/index.html")
@router.get(PREFIX)
@router.get(f"{PREFIX}/")
async def start(request: Request) -> Response:
    """Redirects to the view that the first link in the page's header opens."""
    return RedirectResponse(link(ui_of(request).navigation[0].path), 303)
