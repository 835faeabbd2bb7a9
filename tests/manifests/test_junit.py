from xml.etree import ElementTree as ET

from memkube.cluster.manifest_text import Position
from memkube.manifests.findings import Finding, Report, Subject
from memkube.manifests.junit import junit_text

_POD = Subject("v1", "Pod", "shop", "web")


def _suite(*findings: Finding) -> ET.Element:
    report = Report(list(findings), ["good.yaml", "bad.yaml"], manifests=2, wrong=1)
    (suite,) = ET.fromstring(junit_text(report).encode())
    return suite


def test_a_file_is_a_test_case_and_an_error_its_failure() -> None:
    suite = _suite(
        Finding("error", "FieldValueRequired", "spec.x: Required <value>", "bad.yaml", Position(3, 2, 3, 5), _POD)
    )
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    good, bad = suite
    assert (good.get("name"), len(good)) == ("good.yaml", 0)
    (failure,) = bad
    assert (failure.get("type"), failure.get("message")) == ("FieldValueRequired", "spec.x: Required <value>")
    assert failure.text == "bad.yaml:3:2: error: spec.x: Required <value> [Pod shop/web]"


def test_a_warning_is_output_and_no_failure() -> None:
    suite = _suite(Finding("warning", "Deprecated", "old", "bad.yaml"))
    assert suite.get("failures") == "0"
    assert suite[1].findtext("system-out") == "bad.yaml:1:1: warning: old"


def test_characters_that_xml_cannot_contain_are_replaced() -> None:
    suite = _suite(Finding("error", "Syntax", "a\x00b", "bad.yaml"))
    assert suite[1][0].get("message") == "a\N{REPLACEMENT CHARACTER}b"
