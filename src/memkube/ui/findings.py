"""Pages of the findings of ``memkube hunt``: what the operator read and wrote, and which objects differ at the end."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from memkube.ui import PREFIX
from memkube.ui.api_client import Refused
from memkube.ui.page import render, ui_of

router = APIRouter(prefix=PREFIX)


@router.get("/findings")
async def show_all(request: Request) -> Response:
    """Shows the report of a hunt with its findings."""
    return await render(request, "findings.html", report=_report(request))


@router.get("/findings/{number}")
async def show(request: Request, number: int) -> Response:
    """Shows a finding: the violated rules, and what happened in the run. The first finding has the number 1."""
    findings = _report(request)["findings"]
    if not 1 <= number <= len(findings):
        raise Refused(404, f"the report has no finding {number}: it has {len(findings)} findings")
    return await render(request, "finding.html", finding=findings[number - 1], number=number, count=len(findings))


def _report(request: Request) -> Mapping[str, Any]:
    """Return the report of the hunt. Raises Refused 404 if the page shows a cluster."""
    report = ui_of(request).hunt_report
    if report is None:
        raise Refused(
            404, "this web page shows a cluster, not the report of a hunt; to show a report, start memkube ui FOLDER"
        )
    return report
