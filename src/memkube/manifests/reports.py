"""Formats reports as text, as JSON, and as annotations of GitHub workflows."""

from collections.abc import Iterator
from typing import Any, Final

import orjson

from memkube.manifests.findings import Finding, Report

_COLORS: Final = {"error": "\x1b[31m", "warning": "\x1b[33m"}
_BOLD: Final = "\x1b[1m"
_PLAIN: Final = "\x1b[0m"
_ESCAPES: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY_ESCAPES: Final = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def text_lines(report: Report, *, colors: bool) -> Iterator[str]:
    """Return one line ``FILE:LINE:COLUMN: LEVEL: MESSAGE`` for each finding, and the lines of the summary.

    If `colors` is True, the findings have the colors of a terminal.
    """
    for finding in report.in_order():
        at = f"{finding.file}:{finding.position.line}:{finding.position.column}:"
        level = f"{finding.level}:"
        if colors:
            at, level = f"{_BOLD}{at}{_PLAIN}", f"{_COLORS[finding.level]}{level}{_PLAIN}"
        about = f" [{finding.subject}]" if finding.subject else ""
        yield f"{at} {level} {_one_line(finding.message)}{about}"
    yield from summary_lines(report)


def summary_lines(report: Report) -> Iterator[str]:
    """Return lines with the numbers of manifests and errors, and with the namespaces that were assumed to exist."""
    right = report.manifests - report.wrong - report.skipped
    errors, warnings = report.count("error"), report.count("warning")
    yield (
        f"{_counted(report.manifests, 'manifest')} in {_counted(len(report.files), 'file')}: {right} right, "
        f"{report.wrong} wrong, {report.skipped} skipped; {_counted(errors, 'error')}, {_counted(warnings, 'warning')}"
    )
    if report.made_namespaces:
        yield f"assumed to exist: namespaces {', '.join(sorted(report.made_namespaces))}"
    if report.judges:
        what = _counted(report.judges, "object")
        yield f"validated, but without effect on the others: {what} (quotas, webhooks, API services)"


def json_text(report: Report) -> str:
    """Return the report as one JSON document."""
    document = {
        "summary": {
            "files": len(report.files),
            "manifests": report.manifests,
            "wrong": report.wrong,
            "skipped": report.skipped,
            "errors": report.count("error"),
            "warnings": report.count("warning"),
            "namespacesMade": sorted(report.made_namespaces),
            "notAsked": report.judges,
        },
        "findings": [_document(finding) for finding in report.in_order()],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()


def github_lines(report: Report) -> Iterator[str]:
    """Return GitHub workflow commands that annotate lines of a change, and the summary as a notice."""
    for finding in report.in_order():
        position = finding.position
        properties: dict[str, Any] = {"file": finding.file, "line": position.line, "endLine": position.end_line}
        if position.end_line == position.line:
            properties |= {"col": position.column, "endColumn": position.end_column}
        properties["title"] = f"{finding.rule}: {finding.subject}" if finding.subject else finding.rule
        parameters = ",".join(f"{name}={_escaped(str(value), _PROPERTY_ESCAPES)}" for name, value in properties.items())
        yield f"::{finding.level} {parameters}::{_escaped(finding.message, _ESCAPES)}"
    for line in summary_lines(report):
        yield f"::notice title=memkube validate::{_escaped(line, _ESCAPES)}"


def _document(finding: Finding) -> dict[str, Any]:
    position, subject = finding.position, finding.subject
    document: dict[str, Any] = {
        "file": finding.file,
        "line": position.line,
        "column": position.column,
        "endLine": position.end_line,
        "endColumn": position.end_column,
        "level": finding.level,
        "rule": finding.rule,
        "message": finding.message,
    }
    if finding.field:
        document["field"] = finding.field
    if subject is not None:
        named = {"apiVersion": subject.api_version, "kind": subject.kind}
        document["object"] = named | {
            key: value for key, value in (("namespace", subject.namespace), ("name", subject.name)) if value
        }
    return document


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _one_line(message: str) -> str:
    return " ".join(message.split("\n"))


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)
