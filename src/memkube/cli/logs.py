"""How what a server logs is written."""

import json
import logging
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeAlias

from memkube.cli.plain import Option
from memkube.endpoints.filters.slow_requests import FIELDS, LOGGER

LogFormat: TypeAlias = Annotated[
    Literal["text", "json"],
    Option("--log-format", help="How it is logged to stderr: as text, or as a line of JSON for each record."),
]


def configure_logging(log_format: str) -> None:
    """Has all loggers write to stderr in this format, warnings and what is worse, and requests that take long."""
    handler = logging.StreamHandler()
    if log_format == "json":
        handler.setFormatter(JsonLines())
    logging.getLogger().addHandler(handler)
    LOGGER.setLevel(logging.INFO)


class JsonLines(logging.Formatter):
    """A JSON object a line: `time` (RFC 3339, UTC), `level`, `logger`, `message`, perhaps `error`, and the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Never more than one line, whatever the message is."""
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
