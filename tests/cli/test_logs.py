import io
import json
import logging

import httpx
import pytest

from memkube.cli.logs import JsonLines
from memkube.endpoints.filters.recording import FIELDS
from tests.cli.processes import serving


@pytest.fixture
def logger() -> logging.Logger:
    logger = logging.Logger("memkube.test")  # noqa: LOG001 - nobody else hears of this one
    logger.addHandler(logging.StreamHandler(io.StringIO()))
    logger.handlers[0].setFormatter(JsonLines())
    return logger


def _line(logger: logging.Logger) -> dict[str, object]:
    (handler,) = logger.handlers
    assert isinstance(handler, logging.StreamHandler)
    (line,) = handler.stream.getvalue().splitlines()
    written: dict[str, object] = json.loads(line)
    return written


def test_a_record_is_one_line_whatever_it_says(logger: logging.Logger) -> None:
    logger.warning("two\nlines of %s", "ÄÖ")
    line = _line(logger)
    assert (line["level"], line["logger"], line["message"]) == ("warning", "memkube.test", "two\nlines of ÄÖ")


def test_an_error_is_told_with_its_traceback(logger: logging.Logger) -> None:
    try:
        raise ValueError("broken")
    except ValueError:
        logger.exception("failed")
    assert str(_line(logger)["error"]).endswith("ValueError: broken")


def test_fields_stand_beside_the_message(logger: logging.Logger) -> None:
    logger.info("asked", extra={FIELDS: {"verb": "get", "status": 200}})
    assert {**_line(logger), "time": ""} == {
        "time": "",
        "level": "info",
        "logger": "memkube.test",
        "message": "asked",
        "verb": "get",
        "status": 200,
    }


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_server_logs_as_it_is_told(environment: dict[str, str], log_format: str) -> None:
    with serving(environment, "--controllers", "none", "--log-format", log_format) as server:
        httpx.get(f"{server.url}/api", headers={"Authorization": "Bearer secret"}, trust_env=False).raise_for_status()
        assert server.process.stderr is not None
        line = server.process.stderr.readline()
    assert line.startswith('{"time": "') is (log_format == "json")
    message = json.loads(line)["message"] if log_format == "json" else line
    assert ("credentials" in message, "secret" in line) == (True, False)


def test_slow_requests_are_logged_as_json(environment: dict[str, str]) -> None:
    options = ("--controllers", "none", "--log-format", "json", "--slow-request-threshold", "1us")
    with serving(environment, *options) as server:
        httpx.get(f"{server.url}/api/v1/nodes", trust_env=False).raise_for_status()
        assert server.process.stderr is not None
        line = json.loads(server.process.stderr.readline())
    assert (line["level"], line["logger"], line["path"]) == ("info", "memkube.trace", "/api/v1/nodes")
    assert list(line["steps"]) == ["listed", "answer encoded", "answer sent"]
