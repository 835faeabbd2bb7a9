"""TODO."""

from memkube.apis.batch.v1.cronjobs.types import CronJob
from memkube.registry.strategy import Strategy


class CronJobStrategy(Strategy[CronJob]):
    """TODO."""


class CronJobStatusStrategy(CronJobStrategy):
    """TODO."""
