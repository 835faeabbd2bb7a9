import asyncio
import io
import json
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import pytest
from jsonschema import Draft7Validator

from memkube.cluster.manifest_text import Position
from memkube.manifests.findings import Finding, Report, Subject
from memkube.manifests.reports import github_lines, json_text, text_lines
from memkube.manifests.sarif import sarif_text
from memkube.manifests.sources import sources
from memkube.manifests.validation import Choices, validate

_WRONG: Final = Path(__file__).parent / "wrong"
_POD: Final = Subject("v1", "Pod", "shop", "web")


def _report(*findings: Finding) -> Report:
    return Report(list(findings), ["a.yaml"], manifests=1, wrong=1)


def _finding(message: str = "spec.x: Required value", **rest: Any) -> Finding:
    return Finding("error", "FieldValueRequired", message, "a.yaml", Position(3, 2, 3, 5), _POD, **rest)


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": True}


_STRING: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "minimum": 1}
_TEXT: Final = _object({"text": _STRING}, "text")
_RULE: Final = _object({"id": _STRING, "shortDescription": _TEXT}, "id")
_DRIVER: Final = _object(
    {"name": _STRING, "version": _STRING, "semanticVersion": _STRING, "rules": _list(_RULE)}, "name"
)
_REGION: Final = _object(dict.fromkeys(("startLine", "startColumn", "endLine", "endColumn"), _COUNT), "startLine")
_PHYSICAL: Final = _object(
    {"artifactLocation": _object({"uri": {"type": "string", "format": "uri-reference"}}), "region": _REGION},
    "artifactLocation",
)
_LOCATION: Final = _object(
    {
        "physicalLocation": _PHYSICAL,
        "logicalLocations": _list(_object({"fullyQualifiedName": _STRING, "kind": _STRING})),
    }
)
_RESULT: Final = _object(
    {
        "ruleId": _STRING,
        "ruleIndex": {"type": "integer", "minimum": -1},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": _TEXT,
        "locations": {"type": "array", "items": _LOCATION},
    },
    "message",
)
_RUN: Final = _object(
    {
        "tool": _object({"driver": _DRIVER}, "driver"),
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "results": {"type": "array", "items": _RESULT},
    },
    "tool",
)
_LOG: Final = _object(
    {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "items": _RUN},
    },
    "version",
    "runs",
)
"""JSON schema of the parts of SARIF 2.1.0 that reports use (section 3 of the standard, and its schema)."""


@pytest.fixture(scope="module")
def log() -> Any:
    read = list(sources([str(_WRONG)], io.StringIO()))
    return json.loads(sarif_text(asyncio.run(validate(read, Choices()))))


def test_sarif_is_as_its_standard_says(log: Any) -> None:
    Draft7Validator.check_schema(_LOG)
    assert [error.message for error in Draft7Validator(_LOG).iter_errors(log)] == []


def test_results_of_sarif_name_their_rules_and_stand_in_files_that_are_there(log: Any) -> None:
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) > 40
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        lines = Path(unquote(place["artifactLocation"]["uri"])).read_text().splitlines()
        region = place["region"]
        assert (region["startLine"], region["startColumn"]) <= (region["endLine"], region["endColumn"])
        assert region["endColumn"] <= len(lines[region["endLine"] - 1]) + 1


@pytest.mark.parametrize(
    ("file", "uri"),
    [("a b/c%.yaml", "a%20b/c%25.yaml"), ("./a.yaml", "a.yaml"), ("/elsewhere/a.yaml", "file:///elsewhere/a.yaml")],
)
def test_files_of_sarif_are_addresses(file: str, uri: str) -> None:
    found = json.loads(sarif_text(Report([Finding("error", "Helm", "no", file)], [file])))
    assert found["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_annotations_escape_what_would_end_them() -> None:
    (line, _) = github_lines(_report(_finding("100%: a\nb, c")))
    place = "file=a.yaml,line=3,endLine=3,col=2,endColumn=5"
    assert line == f"::error {place},title=FieldValueRequired%3A Pod shop/web::100%25: a%0Ab, c"


def test_json_tells_each_finding_and_the_sums() -> None:
    document = json.loads(json_text(_report(_finding(field="spec.x"))))
    assert document["findings"] == [
        {
            "file": "a.yaml",
            "line": 3,
            "column": 2,
            "endLine": 3,
            "endColumn": 5,
            "level": "error",
            "rule": "FieldValueRequired",
            "message": "spec.x: Required value",
            "field": "spec.x",
            "object": {"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": "web"},
        }
    ]
    assert (document["summary"]["errors"], document["summary"]["wrong"]) == (1, 1)


def test_a_line_of_text_is_as_compilers_write_it() -> None:
    line, summary = text_lines(_report(_finding()), colors=False)
    assert line == "a.yaml:3:2: error: spec.x: Required value [Pod shop/web]"
    assert summary == "1 manifest in 1 file: 0 right, 1 wrong, 0 skipped; 1 error, 0 warnings"


def test_colors_do_not_change_the_words() -> None:
    line, _ = text_lines(_report(_finding()), colors=True)
    assert line == "\x1b[1ma.yaml:3:2:\x1b[0m \x1b[31merror:\x1b[0m spec.x: Required value [Pod shop/web]"
