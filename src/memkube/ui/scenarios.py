"""Scenarios that are played on this server: their steps as they happen, and a form to play another one."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

import orjson
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.decoding.yaml_body import read_yaml
from memkube.ui import PREFIX
from memkube.ui.api_client import Refused
from memkube.ui.page import CONTROL, client_of, done, form_of, link, number_in, render

_SCENARIOS: Final = f"{CONTROL}/scenarios"
_MOST_BYTES: Final = 1024 * 1024
_FASTEST: Final = 1e6
_TONES: Final = {"passed": "good", "failed": "bad", "stopped": "waiting", "playing": ""}
SPEEDS: Final = {"60": "a minute each second", "600": "ten minutes each second", "": "as fast as possible"}
"""Speeds that the user can choose in the page's form."""
EXAMPLE: Final = """\
name: a rollout with slow image pulls
setup:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    replicas: 3
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec:
        containers: [{name: web, image: "nginx:1.27"}]
steps:
- at: 1m
  rule: {name: slow-pulls, image: "nginx:1.28", pullSeconds: 40}
  for: 8m
- at: 2m
  name: roll out nginx 1.28
  patch:
    resource: deployments
    name: web
    patch: {spec: {template: {spec: {containers: [{name: web, image: "nginx:1.28"}]}}}}
- at: 6m
  scale: {resource: deployments, name: web, replicas: 5}
until: 10m
expect:
- {resource: deployments, name: web, condition: condition=Available}
- {resource: pods, labels: app=web, count: 5}
"""

router = APIRouter(prefix=PREFIX)


class Stretch(NamedTuple):
    """The time from a step's first to its last occurrence, as percentages of the whole scenario's duration."""

    begin: float
    end: float

    @property
    def width(self) -> float:
        """Width of the step's part of the timeline in percent; at least 0.8, so that a single occurrence is visible."""
        return max(self.end - self.begin, 0.8)


class StepView(NamedTuple):
    """A step of a scenario as shown on the scenario's page: its state, and the times at which it happens."""

    number: int
    """Number of the step in the file, from 0."""
    text: str
    details: Mapping[str, Any]
    state: str
    """``over``, ``active`` (performed, and undone later), ``next``, ``later``, or ``never`` if it is after the end."""
    first: str
    next: str
    what: str
    """What happens at the time `next`: ``again`` or ``is undone``, or "" for the first time."""
    happened: int
    total: int
    stretch: Stretch


@router.get("/scenarios")
async def show_all(request: Request) -> Response:
    """Shows the scenarios of the server, with a form to play another one."""
    found = await client_of(request).get(_SCENARIOS)
    return await render(
        request, "scenarios.html", found=found, tones=_TONES, speeds=SPEEDS, example=EXAMPLE, polled=_SCENARIOS
    )


@router.get("/scenarios/{number}")
async def show(request: Request, number: int) -> Response:
    """Shows the scenario with this number, and the progress of its steps."""
    polled = f"{_SCENARIOS}/{number}"
    scenario = await client_of(request).get(polled)
    return await render(
        request,
        "scenario.html",
        scenario=scenario,
        tone=_TONES[scenario["state"]],
        steps=_steps(scenario),
        progress=_percentage(scenario, scenario["now"]),
        polled=polled,
    )


@router.post("/scenarios")
async def begin(request: Request) -> Response:
    """Begins to play the scenario in the form, and responds with the address of its page."""
    form = await form_of(request, _MOST_BYTES)
    speed = {"speed": number_in(form, "speed", _FASTEST)} if form.get("speed") else {}
    begun = await client_of(request).post(_SCENARIOS, {"scenario": _read(form.get("scenario", ""))} | speed)
    where = link(f"/scenarios/{begun['number']}")
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(where, 303)
    # A script reads the address and opens it. If the response were a redirect, `fetch` would follow it, and the script
    # would get the page without its address.
    return Response(status_code=204, headers={"location": where})


@router.post("/scenarios/{number}/stop")
async def stop(request: Request, number: int) -> Response:
    """Stops playing the scenario with this number."""
    await client_of(request).post(f"{_SCENARIOS}/{number}/stop", {})
    return done(request)


def _read(text: str) -> dict[str, Any]:
    """Parse the text of a scenario file. Raises Refused 400 unless it is a YAML object that JSON can represent."""
    try:
        read = read_yaml(text.encode())
    except DecodeError as error:
        raise Refused(400, f"The scenario is not valid YAML: {error.message}") from None
    if read.strict_errors:
        raise Refused(400, f"The scenario is not valid: {'; '.join(map(str, read.strict_errors))}")
    if not isinstance(read.data, dict):
        raise Refused(400, "A scenario is an object with the fields name, setup, steps, until and expect.")
    # Refuse YAML that JSON cannot represent, such as keys that are no strings.
    try:
        orjson.dumps(read.data)
    except TypeError as error:
        raise Refused(400, f"The scenario cannot be sent as JSON: {error}") from None
    return read.data


def _steps(scenario: Any) -> list[StepView]:
    """Return the steps of a scenario, in the order of the file."""
    upcoming = min((one["next"] for one in scenario["steps"] if one["next"]), default=None)
    is_playing = scenario["state"] == "playing"
    return [
        _step(number, one, scenario, is_next=is_playing and one["next"] is not None and one["next"] == upcoming)
        for number, one in enumerate(scenario["steps"])
    ]


def _step(number: int, action: Any, scenario: Any, *, is_next: bool) -> StepView:
    state = "never" if action["first"] is None else "over" if action["next"] is None else "later"
    if state == "later" and scenario["state"] != "playing":
        state = "never" if not action["happened"] else "over"
    if action["active"]:
        state = "active"
    elif is_next:
        state = "next"
    what = "is undone" if action["undoes"] else "again" if action["happened"] else ""
    first, last = (_percentage(scenario, action[name] or scenario["end"]) for name in ("first", "last"))
    return StepView(
        number,
        action["text"],
        action["details"],
        state,
        action["first"] or "",
        action["next"] or "",
        what,
        action["happened"],
        action["total"],
        Stretch(first, last),
    )


def _percentage(scenario: Any, instant: str) -> float:
    """Return the part of the scenario's time until `instant`, as a percentage from 0 to 100."""
    start, end, now = (datetime.fromisoformat(text) for text in (scenario["start"], scenario["end"], instant))
    whole = (end - start).total_seconds()
    return min(max(100 * (now - start).total_seconds() / whole, 0.0), 100.0) if whole else 100.0
