"""The text and the files of a report."""

from pathlib import Path

import pytest
import yaml

import memkube
from memkube.hunting.description import PatchedTarget, Step
from memkube.hunting.plan import Disturbance, Plan
from memkube.hunting.report import Coverage, Finding, HuntReport, explained
from memkube.hunting.run import Observation

PLAN = Plan(pattern="crash", about="the operator is killed & started again", disturbances=[])
FINDING = Finding("crash", "end-state", "", ["Secret default/w"], "FINDING (crash): <w> is missing", PLAN)


def test_what_was_disturbed_is_told() -> None:
    coverage = {"create secrets": Coverage(3, 1, 2), "watch pods": Coverage(1, 1, 0), "step 1": Coverage(0, 0, 4)}
    lines = HuntReport(1, coverage=coverage).to_text().splitlines()
    assert lines[0] == "disturbed: create secrets (2 of 5 plans)"
    assert lines[1] == "not disturbed: watch pods (its faults never hit), step 1 (no time)"


def test_a_finding_is_written_as_a_page(tmp_path: Path) -> None:
    HuntReport(1, findings=[FINDING]).write(tmp_path, None)
    page = (tmp_path / "finding-1.html").read_text()
    assert "<h1>the operator is killed &amp; started again</h1>" in page
    assert "&lt;w&gt; is missing" in page
    assert "pattern: crash" in page


def test_a_plan_is_written_as_it_is_replayed(tmp_path: Path) -> None:
    patched = PatchedTarget(apiVersion="example.com/v1", kind="Widget", name="w", patch={"spec": {"a": None}})
    fault = {"match": {"verbs": ["create"]}, "effect": {"type": "drop"}}
    disturbance = Disturbance(fault=fault, after=0, until=1, kills=True)
    steps = [Step(patch=patched), Step(apply={"kind": "Widget"})]
    plan = Plan(pattern="inputs", about="a change", disturbances=[disturbance], steps=steps, is_typed=True)
    finding = Finding("inputs", "end-state", "", [], "", plan)
    HuntReport(1, findings=[finding]).write(tmp_path, tmp_path / "hunt.yaml")
    written = yaml.safe_load((tmp_path / "finding-1.yaml").read_text())
    assert Plan.model_validate(written["plan"]) == plan
    assert written["hunt"] == str(tmp_path / "hunt.yaml")


def test_a_plan_is_replayed_with_a_hunt_below_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "report"
    HuntReport(1, findings=[FINDING]).write(folder, tmp_path / "hunt.yaml")
    with pytest.raises(memkube.UsageError, match="No such file") as refused:
        memkube.hunt("missing.yaml", replay=folder / "finding-1.yaml")
    assert str(tmp_path / "missing.yaml") in str(refused.value)


def test_what_was_not_tried_or_not_confirmed_is_told() -> None:
    lines = HuntReport(1, untried=3, unconfirmed=["it is killed (end-state: a)"]).to_text().splitlines()
    assert lines[0] == "not confirmed for lack of time: it is killed (end-state: a)"
    assert lines[-1].endswith("(seed 1), 3 plans not tried")


def test_what_is_not_compared_is_told() -> None:
    lines = HuntReport(1, variations=["ConfigMap a: data.n is 1 in one run, 2 in another"]).to_text().splitlines()
    assert lines[0] == "not compared: ConfigMap a: data.n is 1 in one run, 2 in another"


def test_the_steps_that_a_finding_needs_are_told() -> None:
    plan = PLAN.model_copy(update={"needs": [0, 2], "out_of": 4})
    lines = explained(plan, [], Observation(step_ends=[0.5, 1.0, 2.0])).splitlines()
    assert lines[1] == "  needs only steps 1 and 3 of 4 of the workload"
    assert lines[-1].endswith("-- step 3 is over")


def test_findings_that_may_need_fewer_steps_are_told() -> None:
    lines = HuntReport(1, unshortened=["it is killed"]).to_text().splitlines()
    assert lines[0] == "may need fewer steps, not tried for lack of time: it is killed"
