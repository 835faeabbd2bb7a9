"""Actions of the steps of a scenario, such as deleting an object or injecting a fault."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, field_validator, model_validator

from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.scalars import parse_quantity
from memkube.apimachinery.strict_model import SelectorText, StrictModel
from memkube.cluster.manifests import Manifests
from memkube.cluster.synchronous import Memkube
from memkube.cluster.waiting import Document
from memkube.control.nodes import NewNodes
from memkube.controllers.kubelet.containers.behavior import ContainerRule
from memkube.controllers.pod_autoscaler.metric_values import MetricValue
from memkube.errors import UsageError
from memkube.faults.rules import FaultRule

_HUNDRED: Final = 100


class ObjectName(StrictModel):
    """Resource, namespace and name of the object on which an action acts."""

    resource: str = Field(description="Resource of the object, by any name that kubectl accepts, such as deploy.")
    name: str
    namespace: str = "default"


class Delete(ObjectName):
    """Action that deletes an object, which is given by resource, namespace and name."""

    def perform(self, kube: Memkube) -> None:
        kube.delete(self.resource, self.name, namespace=self.namespace)


class Scale(ObjectName):
    """Action that sets the number of replicas of an object."""

    replicas: int = Field(ge=0)

    def perform(self, kube: Memkube) -> None:
        kube.scale(self.resource, self.name, self.replicas, namespace=self.namespace)


class Patch(ObjectName):
    """Action that sends a patch of an object; `type` says how the server merges it."""

    patch: dict[str, Any] | list[dict[str, Any]]
    type: Literal["strategic", "merge", "json"] = "strategic"

    def perform(self, kube: Memkube) -> None:
        kube.patch(self.resource, self.name, self.patch, namespace=self.namespace, type=self.type)


class AddNodes(NewNodes):
    """Action that adds nodes to a node pool, or outside of pools."""

    def perform(self, kube: Memkube) -> None:
        kube.nodes.add(self.pool, self.count, zone=self.zone)


class NamedRule(ContainerRule):
    """Action that adds a rule for simulated containers, which decides how they behave.

    Undoing it deletes the rule.
    """

    name: str

    def perform(self, kube: Memkube) -> None:
        rule = self.model_dump(mode="json", exclude_unset=True, exclude={"name"})
        kube.behaviors.put(self.name, rule)

    def undo(self, kube: Memkube) -> None:
        kube.behaviors.delete(self.name)


class NamedMetric(StrictModel):
    """Action that sets the value of a custom or external metric. Undoing it removes the value."""

    name: str
    value: MetricValue

    def perform(self, kube: Memkube) -> None:
        kube.metrics.put(self.name, self.value)

    def undo(self, kube: Memkube) -> None:
        kube.metrics.delete(self.name)


class NamedFault(FaultRule):
    """Action that injects a fault under a name. Undoing it, or the action ``removeFault``, removes the fault."""

    @model_validator(mode="after")
    def _has_a_name(self) -> "NamedFault":
        if not self.name:
            raise ValueError("name: a fault of a scenario needs a name, by which it is removed")
        return self

    def perform(self, kube: Memkube) -> None:
        singular = {key: key.removesuffix("s") for key in type(self.match).model_fields if key != "controllers"}
        fields = self.match.model_dump(exclude_unset=True) | self.when.model_dump(exclude_unset=True)
        which: Any = {singular.get(key, key): value for key, value in fields.items()}
        kube.faults.add(self.effect, called=self.name or "", **which)

    def undo(self, kube: Memkube) -> None:
        remove_fault(kube, self.name or "")


class Load(StrictModel):
    """Action that sets the CPU use of the containers of selected pods."""

    name: str = Field(default="load", description="Name of the rule for simulated containers that sets the CPU use.")
    labelSelector: SelectorText = Field(default="", description="Label selector of the pods; empty for all pods.")  # noqa: N815
    namespace: str = Field(default="default", description="Namespace of the pods whose CPU use is set.")
    cpu: str | None = Field(
        default=None,
        description="CPU use of each container: a quantity such as 200m, or a share of its request such as 80%.",
    )
    total: str | None = Field(
        default=None,
        description="CPU use of all pods together, divided among the running pods. The step must have the field 'for'.",
    )

    @field_validator("cpu", "total", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int | float) else value

    @model_validator(mode="after")
    def _is_consistent(self) -> "Load":
        if (self.cpu is None) == (self.total is None):
            raise ValueError("load: set exactly one of cpu and total")
        if self.cpu is not None and self.cpu.endswith("%"):
            if not self.cpu[:-1].isdigit():
                raise ValueError(f"cpu: {self.cpu!r} is not a share such as 80%: write digits before the %")
        else:
            parse_quantity(self.cpu or self.total)
        return self

    @property
    def is_shared(self) -> bool:
        """True if the CPU use of each pod changes with the number of running pods."""
        return self.total is not None

    def perform(self, kube: Memkube) -> None:
        amount = self._amount(kube)
        if amount is not None:
            use = {"namespace": self.namespace, "labelSelector": self.labelSelector, "cpu": amount}
            kube.behaviors.put(self.name, use)

    def undo(self, kube: Memkube) -> None:
        if self.name in kube.behaviors.all():
            kube.behaviors.delete(self.name)

    def _amount(self, kube: Memkube) -> str | None:
        """Return the CPU use to set for each container.

        Returns None if a total has to be divided among the running pods, but no pod runs.
        """
        if self.cpu is not None and not self.cpu.endswith("%"):
            return self.cpu
        pods = kube.objects("pods", self.namespace, self.labelSelector)
        if self.total is not None:
            running = sum(len(pod["spec"]["containers"]) for pod in pods if pod["status"].get("phase") == "Running")
            return str(Quantity.of(Quantity.parse(self.total).nano // running)) if running else None
        assert self.cpu is not None
        return str(Quantity.of(_request(pods, self.labelSelector).nano * int(self.cpu[:-1]) // _HUNDRED))


class Snapshot(StrictModel):
    """Action that saves a snapshot of the cluster to a file."""

    path: Path

    def perform(self, kube: Memkube) -> None:
        kube.snapshot().save(self.path)


class Change:
    """Action that calls one function to act, and optionally another one to undo the action."""

    def __init__(self, act: Callable[[Memkube], object], undo: Callable[[Memkube], object] | None = None) -> None:
        self._act = act
        self._undo = undo

    def perform(self, kube: Memkube) -> None:
        self._act(kube)

    def undo(self, kube: Memkube) -> None:
        assert self._undo is not None
        self._undo(kube)


def remove_fault(kube: Memkube, name: str) -> None:
    """Remove the fault with this name. Raises UsageError if there is none."""
    for fault in kube.faults:
        if fault.name == name:
            fault.remove()
            return
    raise UsageError(f"there is no fault {name!r}")


def located(manifests: Manifests, folder: Path) -> Manifests:
    """Return manifests with their relative paths resolved against the folder of the scenario."""
    if isinstance(manifests, str):
        is_text = "\n" in manifests or manifests.lstrip().startswith("{")
        return manifests if is_text else folder / manifests
    if isinstance(manifests, Mapping):
        return manifests
    if isinstance(manifests, Sequence):
        return [located(one, folder) for one in manifests]
    return manifests


def _request(pods: Sequence[Document], selector: str) -> Quantity:
    """Return the CPU request that all containers of the pods have in common.

    Raises UsageError if there are no pods, if a container has no CPU request, or if the requests differ. `selector` is
    the label selector of the pods, which is part of the message.
    """
    containers = [container for pod in pods for container in pod["spec"]["containers"]]
    requests = {str((one.get("resources") or {}).get("requests", {}).get("cpu", "0")) for one in containers}
    if len({Quantity(request).nano for request in requests}) != 1 or Quantity(min(requests)).nano == 0:
        why = f"the requests are {', '.join(sorted(requests))}" if requests else "there is no such pod"
        raise UsageError(
            f"load: cpu can be a percentage only if the selected pods ({selector or 'all'}) have equal CPU "
            f"requests, but {why}; give a quantity instead, such as 500m"
        )
    return Quantity(requests.pop())
