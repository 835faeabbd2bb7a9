"""Formats of a server's log on stderr: text, or one JSON object per line."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

import click

from memkube.apimachinery.shown_values import one_line
from memkube.endpoints.filters.recording import FIELDS, LOGGER

log_format_option = click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Format of the log on stderr: text, or one line of JSON per record.",
)


def configure_logging(log_format: str) -> None:
    """Configure the format of logging to stderr, for warnings and errors of all loggers, and for slow requests."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if log_format == "json" else TextLines())
    logging.getLogger().addHandler(handler)
    LOGGER.setLevel(logging.INFO)


class TextLines(logging.Formatter):
    """Formats a record as its message, without the line breaks that a client may have sent in a name."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  a method of logging
        """Return the message in one line. The traceback of an error follows it in further lines."""
        return one_line(super().formatMessage(record))


class JsonLines(logging.Formatter):
    """Formats a record as a JSON object: `time` (RFC 3339, UTC), `level`, `logger`, `message`, fields and `error`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON, even if its message has line breaks."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, FIELDS, {}),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)
