"""The addresses that lead to the first view."""

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
    """Leads to the first view."""
    return RedirectResponse(link("/kinds"), 303)
