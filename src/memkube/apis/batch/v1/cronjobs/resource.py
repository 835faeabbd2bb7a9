"""CronJobs: jobs on a schedule."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, status_subresource

RESOURCE = Resource(
    group="batch",
    version="v1",
    kind="CronJob",
    plural="cronjobs",
    singular="cronjob",
    short_names=("cj",),
    categories=("all",),
    model=Lazy("memkube.apis.batch.v1.cronjobs.types:CronJob"),
    strategy=Lazy("memkube.apis.batch.v1.cronjobs.strategy:CronJobStrategy()"),
    printer=Lazy("memkube.apis.batch.v1.cronjobs.columns:PRINTER"),
    subresources=(status_subresource(Lazy("memkube.apis.batch.v1.cronjobs.strategy:CronJobStatusStrategy()")),),
)
