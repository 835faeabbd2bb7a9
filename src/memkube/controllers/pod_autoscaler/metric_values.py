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

    type: Literal["Pods", "Object", "External"] = Field(
        description="What has the metric: pods (Pods), an object (Object), or something outside the cluster (External)."
    )
    metric: str = Field(min_length=1, description="Name by which autoscalers request the metric.")
    value: Amount = Field(description="Value such as 10 or 500m. For the type Pods, each selected pod has this value.")
    namespace: str = Field(
        default="", description="Namespace whose autoscalers get the value; if empty, those in all namespaces get it."
    )
    labels: dict[str, str] = Field(
        default_factory=dict, description="Labels of the value, which the metric selector of an autoscaler must match."
    )
    labelSelector: SelectorText = Field(
        default="", description="Only for the type Pods: label selector of the pods that have the value."
    )
    group: str = Field(
        default="", description="Only for the type Object: API group of the object that the metric describes."
    )
    kind: str = Field(default="", description="Only for the type Object: kind of the object that the metric describes.")
    name: str = Field(default="", description="Only for the type Object: name of the object that the metric describes.")

    @model_validator(mode="after")
    def _is_consistent(self) -> "MetricValue":
        if self.type == "Object" and not (self.kind and self.name):
            raise ValueError("a metric of the type Object needs the fields kind and name")
        used = {name for name in ("labelSelector", "group", "kind", "name") if getattr(self, name)}
        if foreign := used - _FIELDS[self.type]:
            raise ValueError(f"a metric of the type {self.type} must not have {' or '.join(sorted(foreign))}")
        return self

    def saved(self) -> Document:
        """Return the metric value as JSON data, for storage and snapshots."""
        data: Document = self.model_dump(mode="json", exclude_unset=True)
        return data

    def answers(self, namespace: str, selector: LabelSelector) -> bool:
        """True if this value applies to the namespace, and the selector matches the value's metric labels."""
        return self.namespace in ("", namespace) and selector.matches(self.labels)

    @cached_property
    def pods(self) -> LabelSelector:
        """Selector of the pods that have this value, for a metric of the type Pods."""
        return label_selectors.parse(self.labelSelector)


def metric_values(state: SharedState) -> dict[str, MetricValue]:
    """Return the metric values that users have set, by name and in the order of the names.

    They are kept in `state`, which servers on the same storage share. If several values match a request that expects
    one value, callers use the first one.
    """
    return {name: MetricValue.model_validate(saved) for name, saved in sorted(state.items(METRIC_VALUES).items())}
