"""The report of a search for bugs in an operator, as text, as JSON, as JUnit XML, and as a folder of files.

For each bug, the folder has the plan of the faults that reveal it, a test and an HTML page.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

import yaml

from memkube.hunting.judging import Verdict
from memkube.hunting.plan import Plan
from memkube.hunting.run import Observation
from memkube.hunting.story import Story

_MOST_LINES: Final = 12
_MOST_REQUESTS: Final = 30
_TEST: Final = '''"""A bug that `memkube hunt` has found: it fails until the operator is mended."""

from pathlib import Path

import memkube


def test_the_operator_withstands_{name}() -> None:
    report = memkube.hunt(replay=Path(__file__).with_name("{file}"))
    assert not report.findings, report.findings[0].explanation
'''


_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>body {{ font: 16px sans-serif; margin: 2em; }} pre {{ white-space: pre-wrap; }}</style>
<h1>{title}</h1>
<pre>{explanation}</pre>
<h2>The plan</h2>
<pre>{plan}</pre>
</html>
"""


@dataclass(slots=True)
class Finding:
    """A bug that was found: two runs with the same faults violated a rule that no run without faults violates."""

    pattern: str
    oracle: str
    plan: str
    """Name of the file that has the plan; "" if no file was written."""
    objects: list[str]
    explanation: str
    """Text for the user that describes the disturbance, the operator's requests and the violated rules."""
    details: Plan = field(repr=False)
    story: Story | None = field(default=None, repr=False)
    """The violated rules, a timeline of the run, and the objects that differ at its end, for the web page."""
    reached: int = 0
    """Number of the last step in the run of the finding, counted from 0. Later steps did not run."""

    def to_document(self) -> dict[str, Any]:
        """Return the finding as JSON data. It names the file that has the plan, but does not contain the plan."""
        names = ("pattern", "oracle", "plan", "objects", "explanation")
        story = None if self.story is None else asdict(self.story)
        details = {"about": self.details.about, "needs": self.details.needed_steps, "story": story}
        return {**{name: getattr(self, name) for name in names}, **details}


@dataclass(slots=True)
class Coverage:
    """Numbers of tried and untried plans that disturb one request, watch or step of the operator."""

    tried: int = 0
    unhit: int = 0
    """Number of tried plans whose fault was applied to no request."""
    untried: int = 0
    """Number of plans that the hunt did not try before it ended."""

    @property
    def hit(self) -> int:
        """Number of tried plans whose fault was applied, so that they disturbed the operator."""
        return self.tried - self.unhit

    def __str__(self) -> str:
        if self.hit:
            return f"{self.hit} of {self.tried + self.untried} plans"
        return "its faults never hit" if self.tried else "no time"


@dataclass(slots=True)
class HuntReport:
    """Result of a search for bugs: the findings, and how many plans were tried."""

    seed: int
    runs: int = 0
    """Number of runs of the workload."""
    plans: int = 0
    """Number of plans that were tried."""
    untried: int = 0
    """Number of plans that were not tried, because the time was used up or the user interrupted the search."""
    interrupted: bool = False
    """True if the user interrupted the search, so that not all plans were tried."""
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)
    flaky: list[str] = field(default_factory=list)
    """Descriptions of the plans in whose first run the operator violated a rule, but not in the second run."""
    unconfirmed: list[str] = field(default_factory=list)
    """Descriptions of the plans in whose first run the operator violated a rule, and that were not repeated for lack of
    time.
    """
    unshortened: list[str] = field(default_factory=list)
    """Descriptions of the findings with steps of the workload that were not left out, or not tried, for lack of time.
    """
    unhit: list[str] = field(default_factory=list)
    """Descriptions of the plans whose fault was applied to no request, because the operator sent no matching request.
    """
    coverage: dict[str, Coverage] = field(default_factory=dict)
    """Numbers of plans, by what they disturb, such as ``update pods``, ``watch secrets``, ``step 2`` or ``the lease``.
    """
    variations: list[str] = field(default_factory=list)
    """How the runs without faults differ, with the values of each field in `masked`."""
    masked: list[str] = field(default_factory=list)
    """Fields and objects that are not compared, because they differ between the runs without faults."""

    def to_document(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        names = ["runs", "plans", "untried", "interrupted", "seconds", "seed"]
        names += ["flaky", "unconfirmed", "unshortened", "unhit", "masked", "variations"]
        found = [finding.to_document() for finding in self.findings]
        coverage = {target: asdict(one) for target, one in self.coverage.items()}
        return {**{name: getattr(self, name) for name in names}, "coverage": coverage, "findings": found}

    def to_json(self) -> str:
        """Return the report as indented JSON text."""
        return json.dumps(self.to_document(), indent=2) + "\n"

    def to_text(self) -> str:
        """Return the report as text for a terminal."""
        lines = [finding.explanation for finding in self.findings]
        lines += [f"flaky: {about}" for about in self.flaky]
        lines += [f"not confirmed for lack of time: {about}" for about in self.unconfirmed]
        lines += [f"may need fewer steps, not tried for lack of time: {about}" for about in self.unshortened]
        for word, is_hit in (("disturbed", True), ("not disturbed", False)):
            targets = [f"{target} ({hits})" for target, hits in self.coverage.items() if bool(hits.hit) == is_hit]
            lines += [f"{word}: {', '.join(targets)}"] if targets else []
        found = f"{len(self.findings)} findings" if self.findings else "nothing found"
        lines += [f"not compared: {line}" for line in self.variations[:_MOST_LINES]]
        more = len(self.variations) - _MOST_LINES
        lines += [f"not compared: {more} more differences between runs without faults"] if more > 0 else []
        untried = f", {self.untried} plans not tried" if self.untried else ""
        tried = f"{self.plans} plans, {self.runs} runs, {self.seconds:.0f} s"
        lines.append(f"{found} in {tried} (seed {self.seed}){untried}")
        return "\n".join(lines) + "\n"

    def to_junit(self) -> str:
        """Return the report as JUnit XML.

        Each finding is a failed test case. Without findings, the report has one passed test case.
        """
        suite = ET.Element("testsuite", name="memkube hunt", failures=str(len(self.findings)))
        suite.set("tests", str(max(len(self.findings), 1)))
        suite.set("time", f"{self.seconds:.3f}")
        if not self.findings:
            ET.SubElement(suite, "testcase", classname="hunt", name=f"{self.plans} plans")
        for finding in self.findings:
            case = ET.SubElement(suite, "testcase", classname=f"hunt.{finding.pattern}", name=finding.details.about)
            failure = ET.SubElement(case, "failure", message=f"{finding.oracle}: {', '.join(finding.objects)}")
            failure.text = finding.explanation
        return ET.tostring(suite, encoding="unicode") + "\n"

    def write(self, folder: Path, hunt_file: Path | None) -> None:
        """Write the report to `folder`: ``report.json``, and a plan, an HTML page and a test for each finding.

        Each plan's file names `hunt_file`, the file with the description of the hunt; None if there is no such file.
        """
        folder.mkdir(parents=True, exist_ok=True)
        for number, finding in enumerate(self.findings, start=1):
            finding.plan = f"finding-{number}.yaml"
            plan = finding.details.model_dump(mode="json", exclude_defaults=True)
            content: dict[str, Any] = {"plan": plan}
            if hunt_file is not None:
                content = {"hunt": str(hunt_file.resolve()), **content}
            text = yaml.safe_dump(content, sort_keys=False)
            (folder / finding.plan).write_text(text)
            contents = {"title": finding.details.about, "explanation": finding.explanation, "plan": text}
            page = _PAGE.format(**{name: escape(value) for name, value in contents.items()})
            (folder / f"finding-{number}.html").write_text(page)
            name = finding.pattern.replace("-", "_")
            (folder / f"test_finding_{number}.py").write_text(_TEST.format(name=name, file=finding.plan))
        (folder / "report.json").write_text(self.to_json())


def explained(plan: Plan, verdicts: Sequence[Verdict], observed: Observation) -> str:
    """Return the text about a finding: the plan's disturbance, the violated rules, and the operator's requests.

    `verdicts` are the violations, and `observed` is what was recorded in the run that violated the rules.
    """
    lines = [f"FINDING ({plan.pattern}): {plan.about}"]
    lines += [f"  {plan.needed_steps} of the workload"] if plan.needs else []
    for verdict in verdicts:
        lines += [f"  {verdict.oracle}: {line}" for line in verdict.lines[:_MOST_LINES]]
        left = len(verdict.lines) - _MOST_LINES
        lines += [f"  ... and {left} more"] if left > 0 else []
    lines.append("  what the operator did:")
    events = sorted(
        [(one.seconds, _request_line(one)) for one in observed.sent if one.is_write or one.fault]
        + [
            (at, f"-- step {plan.shown_number(number - 1)} is over" if number else "-- the start is over")
            for number, at in enumerate(observed.step_ends)
        ]
    )
    lines += [f"    {seconds:7.2f} s  {text}" for seconds, text in events[:_MOST_REQUESTS]]
    left = len(events) - _MOST_REQUESTS
    lines += [f"    ... and {left} more"] if left > 0 else []
    if observed.exits:
        lines.append(
            f"  it ended by itself with exit status {', '.join(map(str, observed.exits))}, and was started again"
        )
    tail = observed.output.strip().splitlines()[-6:]
    if tail:
        lines += ["  the end of its output:", *(f"    {line}" for line in tail)]
    return "\n".join(lines)


def _request_line(request: Any) -> str:
    answer = f"{request.code}" if request.code else "no answer"
    fault = f" (fault {request.fault})" if request.fault else ""
    return f"{request.verb} {request.resource} {request.name}".rstrip() + f" -> {answer}{fault}"
