from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource, status_subresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="batch",
    version="v1",
    kind="CronJob",
    plural="cronjobs",
    short_names=("cj",),
    categories=("all",),
    model=lazy("types:CronJob"),
    strategy=lazy("strategy:CronJobStrategy()"),
    printer=lazy("columns:PRINTER"),
    subresources=(status_subresource(lazy("strategy:CronJobStatusStrategy()")),),
)
