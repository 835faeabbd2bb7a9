"""The format of a server's log."""

import json
import logging
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeAlias

from typer import Option

from memkube.endpoints.filters.recording import FIELDS, LOGGER

LogFormat: TypeAlias = Annotated[
    Literal["text", "json"],
    Option("--log-format", help="Format of the log on stderr: text, or one line of JSON per record."),
]


def configure_logging(log_format: str) -> None:
    """Configure the format of logging to stderr, for warnings and errors of all loggers, and for slow requests."""
    handler = logging.StreamHandler()
    if log_format == "json":
        handler.setFormatter(JsonLines())
    logging.getLogger().addHandler(handler)
    LOGGER.setLevel(logging.INFO)


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
