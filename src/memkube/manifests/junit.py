"""Reports in the XML format of JUnit, which CI systems show as test results."""

from collections import defaultdict
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from memkube.manifests.findings import Finding, Report


def junit_text(report: Report) -> str:
    """Return the report as one test suite: a test case per file, with a failure for each error.

    Warnings are part of the output of their test case.
    """
    findings: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in report.in_order():
        findings[finding.file].append(finding)
    suites = Element("testsuites")
    suite = SubElement(suites, "testsuite", name="memkube validate")
    for file in dict.fromkeys([*report.files, *findings]):
        _add_case(suite, file, findings[file])
    failed = sum(any(finding.level == "error" for finding in findings[file]) for file in findings)
    for element in (suites, suite):
        element.set("tests", str(len(suite)))
        element.set("failures", str(failed))
        element.set("errors", "0")
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode")


def _add_case(suite: Element, file: str, findings: list[Finding]) -> None:
    case = SubElement(suite, "testcase", classname="memkube.validate", name=_printable(file), file=_printable(file))
    for finding in findings:
        if finding.level == "error":
            failure = SubElement(case, "failure", type=finding.rule, message=_printable(finding.message))
            failure.text = _line(finding)
    if warnings := [_line(finding) for finding in findings if finding.level == "warning"]:
        SubElement(case, "system-out").text = "\n".join(warnings)


def _line(finding: Finding) -> str:
    about = f" [{finding.subject}]" if finding.subject else ""
    location = f"{finding.file}:{finding.position.line}:{finding.position.column}"
    return _printable(f"{location}: {finding.level}: {finding.message}{about}")


def _printable(text: str) -> str:
    """Replace the characters that XML cannot contain."""
    return "".join(letter if letter >= " " or letter in "\t\n" else "\N{REPLACEMENT CHARACTER}" for letter in text)
