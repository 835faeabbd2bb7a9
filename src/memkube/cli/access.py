"""The access log of ``memkube serve -v``: one line per request."""

import logging
from typing import TYPE_CHECKING, Any, Final

import click

from memkube.endpoints.filters.recording import FIELDS
from memkube.registry.declarations.catalog import Catalog
from memkube.telemetry.request_log import RequestLog, RequestRecord

if TYPE_CHECKING:
    from memkube.telemetry.request_query import LoggedRequest

verbose_option = click.option(
    "--verbose", "-v", is_flag=True, help="Log each request: client, verb, object, status and duration."
)
_LOGGER: Final = logging.getLogger("memkube.access")


def log_requests(log: RequestLog, catalog: Catalog) -> None:
    """Write each request in the request log `log` to the logger when it is answered, and each watch when it ends.

    `catalog` has the resources that the server serves.
    """
    from memkube.telemetry.request_query import Requests  # noqa: PLC0415  most servers log no requests

    requests = Requests(log, catalog)

    def log_request(record: RequestRecord) -> None:
        request = requests.shown(record, with_body=False)
        _LOGGER.info("%s", request, extra={FIELDS: _fields(request)})

    _LOGGER.setLevel(logging.INFO)
    log.on_answer(log_request)


def _fields(request: "LoggedRequest") -> dict[str, Any]:
    fields = {
        "verb": request.verb,
        "group": request.group,
        "resource": "/".join(filter(None, (request.resource, request.subresource))),
        "namespace": request.namespace,
        "name": request.name,
        "path": request.path,
        "client": request.client,
        "user": request.user,
        "status": request.code,
        "reason": request.reason,
        "fault": request.fault,
        "instant": request.instant.isoformat(timespec="milliseconds"),
        "seconds": round(request.seconds, 6),
    }
    return {key: value for key, value in fields.items() if value != ""}
