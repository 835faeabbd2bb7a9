"""Pools of simulated nodes: the format of a pool file, and the labels, taints, zones and capacity of the nodes."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, Field, ValidationError, field_validator, model_validator

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.decoding.yaml_body import read_yaml
from memkube.apimachinery.names import is_dns1123_label, is_label_value, is_qualified_name
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.strict_model import StrictModel
from memkube.controllers.nodes.amounts import Amount
from memkube.controllers.nodes.simulated_node import RESOURCES, ZONE, NodeShape, standard_zone
from memkube.errors import reason_of, unknown_name

AnyPools: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Sequence[NodePool | Mapping[str, Any]]"
"""Node pools: the path of a pool file, the content of one as a dictionary, or a list of pools."""
POOL_LABEL: Final = "memkube.dev/node-pool"
"""Name of the Node label that contains the name of the node's pool."""
_RESERVED_LABELS: Final[Mapping[str, str]] = {
    ZONE: "use zones instead",
    POOL_LABEL: "it has the name of the pool",
    "kubernetes.io/hostname": "it has the name of the node",
}
_LONGEST_NAME: Final = 56
"""Maximum length of a pool's name: with a dash and a number it becomes a node's name, and so a label value."""
_MOST_PODS: Final = 250
"""Maximum number of pods of a node. It is less than the number of addresses in the node's /24 network."""


def _label_key(key: str) -> str:
    if problems := is_qualified_name(key):
        raise ValueError(f"{key!r}: {problems[0]}")
    return key


def _label_value(value: str) -> str:
    if problems := is_label_value(value):
        raise ValueError(problems[0])
    return value


_Key: TypeAlias = Annotated[str, AfterValidator(_label_key)]
_Value: TypeAlias = Annotated[str, AfterValidator(_label_value)]


class PoolTaint(StrictModel):
    """A taint with which the kubelets of a pool register their nodes."""

    key: _Key
    value: _Value = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class PoolAutoscaling(StrictModel):
    """Limits within which the cluster autoscaler changes the number of nodes of a pool."""

    min: int = Field(
        default=0, ge=0, description="Minimum number of nodes that the cluster autoscaler keeps in the pool."
    )
    max: int = Field(ge=1, description="Maximum number of nodes up to which the cluster autoscaler adds nodes.")

    @model_validator(mode="after")
    def _is_consistent(self) -> "PoolAutoscaling":
        if self.max < self.min:
            raise ValueError(f"max ({self.max}) must be at least min ({self.min})")
        return self


class NodePool(StrictModel):
    """Simulated nodes with equal labels, taints and capacity. Their names are ``POOL-0``, ``POOL-1`` and so on."""

    name: str = Field(description="Name of the pool, with which the names of its nodes begin.")
    count: int | None = Field(
        default=None, ge=0, description="Number of nodes at the start; by default autoscaling.min, if set, or else 1."
    )
    labels: dict[_Key, _Value] = Field(
        default={}, description="Labels of the nodes, in addition to those that kubelets set."
    )
    taints: list[PoolTaint] = Field(default=[], description="Taints with which the nodes are registered.")
    zones: list[_Value] = Field(
        default=[],
        description="Zones to which the nodes are assigned in turn; by default those of the nodes outside of pools.",
    )
    capacity: dict[str, Amount] = Field(
        default={},
        description="Capacity of each node by resource; cpu, memory, ephemeral-storage and pods have defaults.",
    )
    autoscaling: PoolAutoscaling | None = Field(
        default=None,
        description="Limits for the cluster autoscaler. If not set, the autoscaler never changes the pool.",
    )

    @field_validator("name")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        if problems := is_dns1123_label(name):
            raise ValueError(problems[0])
        if len(name) > _LONGEST_NAME:
            raise ValueError(f"must be no more than {_LONGEST_NAME} characters")
        if name == "node":
            raise ValueError("a pool cannot have the name 'node': names of nodes outside of pools begin with it")
        return name

    @field_validator("labels")
    @classmethod
    def _has_free_labels(cls, labels: dict[str, str]) -> dict[str, str]:
        for key in labels:
            if key in _RESERVED_LABELS:
                raise ValueError(f"a pool cannot set the label {key!r}: {_RESERVED_LABELS[key]}")
        return labels

    @field_validator("taints")
    @classmethod
    def _has_different_taints(cls, taints: list[PoolTaint]) -> list[PoolTaint]:
        if len({(taint.key, taint.effect) for taint in taints}) != len(taints):
            raise ValueError("two taints have the same key and effect")
        return taints

    @field_validator("zones", mode="after")
    @classmethod
    def _has_named_zones(cls, zones: list[str]) -> list[str]:
        if "" in zones:
            raise ValueError("the name of a zone must not be empty")
        return zones

    @field_validator("capacity")
    @classmethod
    def _is_possible(cls, capacity: dict[str, Quantity]) -> dict[str, Quantity]:
        for name, amount in capacity.items():
            _check_resource(name, amount)
        return capacity

    @model_validator(mode="after")
    def _is_within_limits(self) -> "NodePool":
        limits = self.autoscaling
        if limits is not None and not limits.min <= self.initial_count <= limits.max:
            raise ValueError(f"count must be from {limits.min} to {limits.max}, the limits of autoscaling")
        return self

    @property
    def initial_count(self) -> int:
        """The number of nodes that the pool has at the start of the server."""
        if self.count is not None:
            return self.count
        return 1 if self.autoscaling is None else self.autoscaling.min

    def shape(self) -> NodeShape:
        """Return labels, taints and capacity of the pool's nodes."""
        taints = tuple(taint.model_dump(exclude_defaults=True) for taint in self.taints)
        labels = {**self.labels, POOL_LABEL: self.name}
        return NodeShape(self.name, labels, taints, {**RESOURCES, **self.capacity})

    def zone_of(self, index: int, number: int, zones: int) -> str:
        """Return the zone of a node of this pool.

        `index` is the node's number in the pool, and `number` its number in the cluster. `zones` is the number of zones
        among which nodes are distributed if the pool names none.
        """
        return self.zones[index % len(self.zones)] if self.zones else standard_zone(number, zones)

    def saved(self) -> dict[str, Any]:
        """Return the node pool as JSON data, for a snapshot. Fields with default values are left out."""
        return self.model_dump(mode="json", exclude_defaults=True)


def _check_resource(name: str, amount: Quantity) -> None:
    """Raise ValueError if the resource `name` is unknown, or if no node can have this amount of it.

    Impossible amounts are, for example, half a device, or too many pods.
    """
    if problems := is_qualified_name(name):
        raise ValueError(f"{name!r}: {problems[0]}")
    is_extended = "/" in name
    if not is_extended and name not in RESOURCES and not name.startswith("hugepages-"):
        raise ValueError(unknown_name("resource", name, (*RESOURCES, "hugepages-SIZE", "DOMAIN/NAME")))
    if (is_extended or name == "pods") and amount.nano % 10**9:
        raise ValueError(f"{name}: must be an integer")
    if name == "pods" and amount.value > _MOST_PODS:
        raise ValueError(f"pods: must be no more than {_MOST_PODS}")


class _PoolFile(StrictModel):
    pools: list[NodePool]

    @field_validator("pools")
    @classmethod
    def _has_different_names(cls, pools: list[NodePool]) -> list[NodePool]:
        names = [pool.name for pool in pools]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise ValueError(f"two pools have the name {twice!r}")
        return pools


def read_pools(given: AnyPools) -> tuple[NodePool, ...]:
    """Return the node pools in `given`: the path of a pool file, the content of one, or a list of pools.

    Raises ValueError if the pools cannot be read or are invalid. The message has a line for each problem, which names
    the file and the field.
    """
    if isinstance(given, str | os.PathLike):
        path = Path(given)
        return _validated(_content(path), str(path))
    if isinstance(given, Mapping):
        return _validated(dict(given), "node pools")
    return _validated({"pools": list(given)}, "node pools")


def _content(path: Path) -> Any:
    try:
        read = read_yaml(path.read_bytes())
    except (OSError, DecodeError) as error:
        raise ValueError(f"cannot read the node pools {path}: {reason_of(error)}") from None
    if read.strict_errors:
        raise ValueError(f"{path}: {'; '.join(map(str, read.strict_errors))}")
    if not isinstance(read.data, dict):
        raise ValueError(f"{path}: a pool file must contain an object with the field pools")
    return read.data


def _validated(data: Any, source: str) -> tuple[NodePool, ...]:
    try:
        return tuple(_PoolFile.model_validate(data).pools)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        lines = (f"{source}: {_field_prefix(one['loc'])}{one['msg'].removeprefix('Value error, ')}" for one in problems)
        raise ValueError("\n".join(dict.fromkeys(lines))) from None


def _field_prefix(path: tuple[int | str, ...]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return f"{text}: " if text else ""
