"""Formats reports in the Static Analysis Results Interchange Format (OASIS SARIF 2.1.0), which code hosts show."""

import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import orjson

from memkube.manifests.findings import Finding, Report
from memkube.version import VERSION

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_RULES: Final = {
    "Deprecated": "The apiVersion of the object is deprecated",
    "Duplicate": "An object is defined twice",
    "DuplicateField": "A mapping has a key twice",
    "FieldValueDuplicate": "A value that must be unique occurs twice",
    "FieldValueForbidden": "A field must not be set",
    "FieldValueInvalid": "A value is malformed or out of bounds",
    "FieldValueNotFound": "A value refers to an object that does not exist",
    "FieldValueNotSupported": "A value is not one of the supported values",
    "FieldValueRequired": "A required value is missing",
    "FieldValueTooLong": "A value is too long",
    "FieldValueTooMany": "A list has too many items",
    "FieldValueTypeInvalid": "A value is of the wrong type",
    "Helm": "A Helm template is not a manifest",
    "Kustomize": "A kustomization is not a manifest",
    "NoMatch": "The server does not serve the kind",
    "NoObject": "A document is not a Kubernetes object",
    "Syntax": "A file is neither YAML nor JSON",
    "UnknownField": "The kind has no such field",
}
_OTHER: Final = "The API server refuses the object"


def sarif_text(report: Report) -> str:
    """Return the report as the text of a SARIF log with one run."""
    findings = list(report.in_order())
    rules = sorted({finding.rule for finding in findings})
    run = {
        "tool": {
            "driver": {
                "name": "memkube",
                "version": VERSION,
                "semanticVersion": VERSION,
                "rules": [{"id": rule, "shortDescription": {"text": _RULES.get(rule, _OTHER)}} for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, rules.index(finding.rule)) for finding in findings],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return orjson.dumps(log, option=orjson.OPT_INDENT_2).decode()


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(finding.file)}, "region": _region(finding)}
    }
    if finding.subject is not None:
        name = f"{finding.subject} {finding.field}".rstrip()
        location["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "object"}]
    return {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": finding.level,
        "message": {"text": finding.message},
        "locations": [location],
    }


def _region(finding: Finding) -> dict[str, int]:
    position = finding.position
    return {
        "startLine": position.line,
        "startColumn": position.column,
        "endLine": position.end_line,
        "endColumn": position.end_column,
    }


def _uri(file: str) -> str:
    """Return a file's path relative to the working directory if the file is below it, else its absolute URI."""
    path = Path(os.path.normpath(file))
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
