"""Values of custom and external metrics, which users set through the control API.

Autoscalers read them as if an adapter served ``custom.metrics.k8s.io`` and ``external.metrics.k8s.io``.
"""

from functools import cached_property
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field, PlainValidator, WithJsonSchema, model_validator

from memkube.apimachinery import labels as label_selectors
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.scalars import parse_quantity
from memkube.apimachinery.strict_model import SelectorText, StrictModel
from memkube.controllers.framework.saved_values import METRIC_VALUES
from memkube.registry.replicas.shared_state import SharedState

MOST_VALUES: Final = 1_000
"""Maximum number of metric values that users can set."""
Amount: TypeAlias = Annotated[Quantity, PlainValidator(parse_quantity), WithJsonSchema({"type": "string"})]
_FIELDS = {"Pods": {"labelSelector"}, "Object": {"group", "kind", "name"}, "External": set[str]()}


class MetricValue(StrictModel):
    """A metric value that a user has set: for pods, for one object, or of an external metric."""

    model_config = ConfigDict(frozen=True)

    type: Literal["Pods", "Object", "External"] = Field(description="Type of the metric, as in autoscalers.")
    metric: str = Field(min_length=1, description="Name of the metric.")
    value: Amount = Field(description="Value of the metric, such as 10 or 500m. Pods: the value of each pod.")
    namespace: str = Field(default="", description="Namespace of the autoscaler; empty for all.")
    labels: dict[str, str] = Field(default_factory=dict, description="Labels that selectors of the metric match.")
    labelSelector: SelectorText = Field(default="", description="Pods: selector of the pods that have the value.")
    group: str = Field(default="", description="Object: API group of the described object.")
    kind: str = Field(default="", description="Object: kind of the described object.")
    name: str = Field(default="", description="Object: name of the described object.")

    @model_validator(mode="after")
    def _is_consistent(self) -> "MetricValue":
        if self.type == "Object" and not (self.kind and self.name):
            raise ValueError("a metric of the type Object needs kind and name")
        used = {name for name in ("labelSelector", "group", "kind", "name") if getattr(self, name)}
        if foreign := used - _FIELDS[self.type]:
            raise ValueError(f"a metric of the type {self.type} must not have {' or '.join(sorted(foreign))}")
        return self

    def saved(self) -> Document:
        """Return the metric value as JSON data, for storage and snapshots."""
        data: Document = self.model_dump(mode="json", exclude_unset=True)
        return data

    def answers(self, namespace: str, selector: LabelSelector) -> bool:
        """True if this value answers a request in the namespace that selects values by these metric labels."""
        return self.namespace in ("", namespace) and selector.matches(self.labels)

    @cached_property
    def pods(self) -> LabelSelector:
        """Selector of the pods that have this value, for a metric of the type Pods."""
        return label_selectors.parse(self.labelSelector)


def metric_values(state: SharedState) -> dict[str, MetricValue]:
    """Return the metric values that users have set, by name and in the order of the names.

    If several values fit a request for a single value, the first one is used.
    """
    return {name: MetricValue.model_validate(saved) for name, saved in sorted(state.items(METRIC_VALUES).items())}
