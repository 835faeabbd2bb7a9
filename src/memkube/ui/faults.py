"""The view with the injected faults and the rules for simulated containers, and forms to add and remove them."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response

from memkube.ui import PREFIX
from memkube.ui.api_client import Refused
from memkube.ui.page import CONTROL, allowed, client_of, done, form_of, number_in, render

_LONGEST_SECONDS: Final = 24 * 3600.0
_MOST_HITS: Final = 1e9
_NEVER_SECONDS: Final = 1e9


class Choice(NamedTuple):
    """A kind of fault, or a behaviour of containers, that the user can choose in the page's form."""

    title: str
    settings: Mapping[str, Any]
    """Fields of the fault's effect, or of the rule for containers."""
    seconds: str = ""
    """Name of the field that gets the number of seconds in the form; empty if the choice has no such field."""

    def filled(self, form: Mapping[str, str]) -> dict[str, Any]:
        """Return the settings of this choice: the fields of the fault's effect, or of the rule for containers.

        If one of these fields is a number of seconds, its value is read from the submitted `form`. Raises Refused 400
        if the form has no valid number.
        """
        seconds = {self.seconds: number_in(form, "seconds", _LONGEST_SECONDS)} if self.seconds else {}
        return dict(self.settings) | seconds


EFFECTS: Final = {
    "500": Choice("Answer 500 InternalError", {"type": "error", "code": 500}),
    "503": Choice("Answer 503 ServiceUnavailable", {"type": "error", "code": 503}),
    "429": Choice("Answer 429 TooManyRequests", {"type": "error", "code": 429}),
    "409": Choice("Answer 409 Conflict", {"type": "error", "code": 409}),
    "504": Choice("Answer 504 Timeout", {"type": "error", "code": 504}),
    "delay": Choice("Delay the request", {"type": "delay"}, "seconds"),
    "drop": Choice("Drop the connection", {"type": "drop"}),
    "lost": Choice("Drop the connection after the write", {"type": "drop", "afterWrite": True}),
    "stale": Choice("Read stale state", {"type": "staleReads"}),
    "close": Choice("Close watches", {"type": "closeWatch"}),
    "expire": Choice("Close watches as expired (410)", {"type": "closeWatch", "how": "expired"}),
    "events": Choice("Delay events of watches", {"type": "delayEvents"}, "seconds"),
    "hold": Choice("Hold events of watches back", {"type": "delayEvents"}),
    "bookmarks": Choice("Withhold bookmarks", {"type": "withholdBookmarks"}),
    "webhook": Choice("Time out admission webhooks", {"type": "webhookTimeout"}),
}
"""Kinds of faults that the user can choose in the page's form."""
BEHAVIOURS: Final = {
    "crash": Choice("Crash after some seconds", {"exitCode": 1}, "exitAfterSeconds"),
    "memory": Choice("Run out of memory after some seconds", {"outOfMemory": True}, "exitAfterSeconds"),
    "pull": Choice("Fail to pull the image", {"pullError": "manifest unknown"}),
    "start": Choice("Start slowly", {}, "startDelaySeconds"),
    "unready": Choice("Fail the readiness probe", {"probes": {"readiness": {"succeedsAfterSeconds": _NEVER_SECONDS}}}),
    "liveness": Choice("Fail the liveness probe", {"probes": {"liveness": {"succeedsAfterSeconds": _NEVER_SECONDS}}}),
    "stop": Choice("Stop slowly", {}, "stopSeconds"),
    "http": Choice("Answer HTTP requests with 503", {"http": [{"status": 503, "body": "unavailable"}]}),
}
"""Behaviours of simulated containers that the user can choose in the page's form."""
_LISTS: Final = ("verbs", "resources", "namespaces", "names", "users", "userAgents")
_SELECTORS: Final = ("namespace", "labelSelector", "image", "container")

router = APIRouter(prefix=PREFIX)


@router.get("/faults")
async def show(request: Request) -> Response:
    """Shows the injected faults and the rules for simulated containers, with forms to add more of them."""
    client = client_of(request)
    rules = await allowed(client.get(f"{CONTROL}/rules"))
    return await render(
        request,
        "faults.html",
        faults=(await client.get(f"{CONTROL}/faults"))["items"],
        rules=None if rules is None else rules["items"],
        effects=EFFECTS,
        behaviours=BEHAVIOURS,
        polled=f"{CONTROL}/faults",
    )


@router.post("/faults")
async def add(request: Request) -> Response:
    """Adds the fault that the user has chosen in the form."""
    form = await form_of(request)
    match = {name: words for name in _LISTS if (words := form.get(name, "").replace(",", " ").split())}
    when = {"first": int(number_in(form, "first", _MOST_HITS))} if form.get("first") else {}
    rule = {"match": match, "when": when, "effect": _chosen(EFFECTS, form, "effect")}
    name = {"name": form["name"]} if form.get("name") else {}
    await client_of(request).post(f"{CONTROL}/faults", rule | name)
    return done(request)


@router.post("/faults/{name}/remove")
async def remove(request: Request, name: str) -> Response:
    """Removes the injected fault that is named `name`."""
    (await client_of(request).send("DELETE", f"{CONTROL}/faults/{name}")).check()
    return done(request)


@router.post("/behaviours")
async def switch_on(request: Request) -> Response:
    """Adds the rule for containers that the user has chosen in the form. It replaces a rule with the same name."""
    form = await form_of(request)
    rule = {name: form[name] for name in _SELECTORS if form.get(name)} | _chosen(BEHAVIOURS, form, "behaviour")
    name = form.get("name") or form["behaviour"]
    answer = await client_of(request).send("PUT", f"{CONTROL}/rules/{name}", body=orjson.dumps(rule))
    answer.check()
    return done(request)


@router.post("/behaviours/{name}/remove")
async def switch_off(request: Request, name: str) -> Response:
    """Removes the rule for simulated containers that is named `name`."""
    (await client_of(request).send("DELETE", f"{CONTROL}/rules/{name}")).check()
    return done(request)


def _chosen(choices: Mapping[str, Choice], form: Mapping[str, str], field: str) -> dict[str, Any]:
    """Return the settings of the choice named in the form field `field`. Raises Refused 400 if there is none."""
    choice = choices.get(form.get(field, ""))
    if choice is None:
        raise Refused(400, f"choose one of the values of {field}")
    return choice.filled(form)
