"""The login form of the web page, which asks for a token, and the logout."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from memkube.ui import PREFIX
from memkube.ui.api_client import ApiClient, Refused
from memkube.ui.page import form_of, link, render, ui_of
from memkube.ui.security import COOKIE, own_path, session_of

_WHO_AM_I: Final = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
_ANONYMOUS: Final = "system:anonymous"

router = APIRouter(prefix=PREFIX)


@router.get("/login")
async def ask(request: Request, next: str = "") -> Response:  # noqa: A002  the name of the parameter in the address
    """Shows the login form, which asks for a token. After the login, the browser goes to the path `next`."""
    return await render(request, "login.html", next=own_path(next), problem="")


@router.post("/login")
async def log_in(request: Request) -> Response:
    """Checks a token with a request to the API, and starts a session with this token."""
    ui, form = ui_of(request), await form_of(request)
    token, after = form.get("token", "").strip(), own_path(form.get("next", ""))
    client = ApiClient(ui.api, request.scope, token, ui.agent, read_only=ui.read_only)
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    try:
        user = (await client.post(_WHO_AM_I, review))["status"]["userInfo"]["username"]
    except Refused as error:
        return await render(request, "login.html", 401, next=after, problem=error.message)
    if user == _ANONYMOUS:
        problem = "The server does not know this token."
        return await render(request, "login.html", 401, next=after, problem=problem)
    answer = RedirectResponse(after, 303)
    session, is_secure = ui.sessions.open(token), request.url.scheme == "https"
    answer.set_cookie(COOKIE, session, path=PREFIX, httponly=True, samesite="strict", secure=is_secure)
    return answer


@router.post("/logout")
async def log_out(request: Request) -> Response:
    """Ends the session of the request's cookie."""
    ui_of(request).sessions.close(session_of(request))
    answer = RedirectResponse(link("/login"), 303)
    answer.delete_cookie(COOKIE, path=PREFIX, httponly=True, samesite="strict")
    return answer
