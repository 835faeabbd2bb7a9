"""Validation of new and updated Jobs, and of updates of their status (``pkg/apis/batch/validation``)."""

from memkube.apis.batch.v1.jobs.validation.job import validate_job, validate_job_update
from memkube.apis.batch.v1.jobs.validation.status import validate_job_status_update

__all__ = ["validate_job", "validate_job_status_update", "validate_job_update"]
