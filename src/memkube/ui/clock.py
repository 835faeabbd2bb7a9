"""Endpoints of the web page's buttons that advance the server's clock, by requests to the control API.

Only a stepped clock can be advanced; it does not move by itself.
"""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from memkube.ui import PREFIX
from memkube.ui.page import CONTROL, client_of, done, form_of, number_in

_LONGEST_SECONDS: Final = 366 * 24 * 3600

router = APIRouter(prefix=PREFIX)


@router.post("/clock/advance")
async def advance(request: Request) -> Response:
    """Advances the server's clock by the number of seconds in the submitted form."""
    seconds = number_in(await form_of(request), "seconds", _LONGEST_SECONDS)
    await client_of(request).post(f"{CONTROL}/clock/advance", {"seconds": seconds})
    return done(request)


@router.post("/clock/next")
async def advance_to_next(request: Request) -> Response:
    """Advances the server's clock to its next timer."""
    await client_of(request).post(f"{CONTROL}/clock/next", {})
    return done(request)
