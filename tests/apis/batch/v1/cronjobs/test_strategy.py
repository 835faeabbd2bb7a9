from typing import Any

import pytest

from memkube.apis.batch.v1.cronjobs.strategy import CronJobStrategy
from memkube.apis.batch.v1.cronjobs.types import CronJob

_POD = {"containers": [{"name": "app", "image": "nginx:1.27"}], "restartPolicy": "Never"}


def cron_job(name: str = "report", **spec: Any) -> CronJob:
    """Return an hourly CronJob with defaults."""
    job_spec = {"template": {"spec": _POD}, **spec.pop("job", {})}
    document = {
        "metadata": {"name": name, "namespace": "default", "resourceVersion": "1"},
        "spec": {"schedule": "@hourly", "jobTemplate": {"spec": job_spec}, **spec},
    }
    made = CronJob.from_document(document)
    CronJobStrategy().default(made)
    return made


def test_jobs_get_their_defaults_when_they_are_made() -> None:
    spec = cron_job().spec
    assert (spec.concurrencyPolicy, spec.suspend, spec.successfulJobsHistoryLimit) == ("Allow", False, 3)
    assert (spec.jobTemplate.spec.backoffLimit, spec.jobTemplate.spec.template.spec.dnsPolicy) == (None, "ClusterFirst")


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        ({}, []),
        ({"timeZone": "Local"}, ["timeZone"]),
        ({"timeZone": "local"}, ["timeZone", "timeZone"]),
        ({"timeZone": ""}, ["timeZone"]),
        ({"schedule": "TZ=UTC @daily"}, ["schedule"]),
        ({"startingDeadlineSeconds": -1, "concurrencyPolicy": "Odd"}, ["startingDeadlineSeconds", "concurrencyPolicy"]),
        ({"job": {"manualSelector": True}}, ["jobTemplate.spec.manualSelector"]),
        ({"job": {"selector": {"matchLabels": {"a": "b"}}}}, ["jobTemplate.spec.selector"]),
        ({"failedJobsHistoryLimit": -1}, ["failedJobsHistoryLimit"]),
    ],
)
def test_a_new_one_keeps_the_rules(spec: dict[str, Any], fields: list[str]) -> None:
    errors = CronJobStrategy().validate(cron_job(**spec))
    assert [error.field for error in errors] == [f"spec.{field}" for field in fields]


@pytest.mark.parametrize(("length", "count"), [(52, 0), (53, 1)])
def test_names_leave_room_for_those_of_jobs(length: int, count: int) -> None:
    assert len(CronJobStrategy().validate(cron_job("x" * length))) == count


def test_a_zone_in_an_old_schedule_may_stay() -> None:
    old, new = cron_job(schedule="TZ=UTC @daily"), cron_job(schedule="TZ=UTC @hourly")
    strategy = CronJobStrategy()
    assert strategy.validate_update(new, old) == []
    (warning,) = strategy.warnings_on_update(new, old)
    assert warning.startswith("cannot use TZ or CRON_TZ in spec.spec.schedule")


def test_an_old_schedule_with_a_zone_admits_no_other_zone() -> None:
    old = cron_job(schedule="TZ=UTC @daily")
    (error,) = CronJobStrategy().validate_update(cron_job(schedule="TZ=UTC @daily", timeZone="UTC"), old)
    assert error.detail == "cannot use both timeZone field and TZ or CRON_TZ in schedule"
