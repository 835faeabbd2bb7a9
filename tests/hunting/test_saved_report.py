"""A report is read from the folder that a hunt has written."""

from pathlib import Path

import pytest
import yaml

from memkube.errors import UsageError
from memkube.hunting.report import HuntReport
from memkube.hunting.saved_report import read_report
from tests.hunting.examples import EXAMPLES
from tests.hunting.test_report import FINDING


def test_a_written_report_is_read_with_its_plans(tmp_path: Path) -> None:
    HuntReport(1, findings=[FINDING]).write(tmp_path, None)
    (finding,) = read_report(tmp_path / "report.json")["findings"]
    assert finding["about"] == "the operator is killed & started again"
    assert "pattern: crash" in finding["planText"]


def test_no_file_outside_of_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("secret")
    folder = tmp_path / "findings"
    HuntReport(1, findings=[FINDING]).write(folder, None)
    path = folder / "report.json"
    path.write_text(path.read_text().replace("finding-1.yaml", "../secret.yaml"))
    assert read_report(path)["findings"][0]["planText"] == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [("{", "not the report of a hunt: "), ("[]", "it lacks one of findings"), (None, "cannot read the report")],
)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str | None, problem: str) -> None:
    path = tmp_path / "report.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=problem):
        read_report(path)


def test_the_report_in_the_examples_can_be_shown_and_replayed() -> None:
    report = read_report(EXAMPLES / "findings" / "report.json")
    (finding,) = report["findings"]
    assert [one["who"] for one in finding["story"]["timeline"] if one["fault"]] == ["did"]
    assert finding["story"]["left"][0]["name"] == "Secret default/w-password"
    assert (EXAMPLES / "findings" / yaml.safe_load(finding["planText"])["hunt"]).is_file()
