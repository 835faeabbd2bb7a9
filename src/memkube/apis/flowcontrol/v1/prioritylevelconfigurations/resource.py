"""PriorityLevelConfigurations: limits on concurrent requests of each priority level."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field, status_subresource

RESOURCE = Resource(
    group="flowcontrol.apiserver.k8s.io",
    version="v1",
    kind="PriorityLevelConfiguration",
    plural="prioritylevelconfigurations",
    singular="prioritylevelconfiguration",
    namespaced=False,
    selectable_fields=name_field,
    model=Lazy("memkube.apis.flowcontrol.v1.prioritylevelconfigurations.types:PriorityLevelConfiguration"),
    strategy=Lazy(
        "memkube.apis.flowcontrol.v1.prioritylevelconfigurations.strategy:PriorityLevelConfigurationStrategy()"
    ),
    printer=Lazy("memkube.apis.flowcontrol.v1.prioritylevelconfigurations.columns:PRINTER"),
    subresources=(
        status_subresource(
            Lazy(
                "memkube.apis.flowcontrol.v1.prioritylevelconfigurations.strategy:PriorityLevelConfigurationStatusStrategy()"
            )
        ),
    ),
)
