"""The fields of a scenario file, and a function that reads such a file."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from memkube.apimachinery.strict_model import StrictModel
from memkube.cluster.descriptions import read_description, validated_description
from memkube.controllers.nodes.pools import NodePool
from memkube.scenarios.actions import AddNodes, Delete, Load, NamedFault, NamedMetric, NamedRule, Patch, Scale, Snapshot
from memkube.scenarios.expectations import Expectation
from memkube.scenarios.moments import Instant, Moment, Period, When, read_instant

AnyScenario: TypeAlias = "Scenario | str | os.PathLike[str] | Mapping[str, Any]"
"""A scenario, the path of its file, or its content as a dictionary."""
_START: Final = "2026-01-05T00:00:00Z"
_UNDOABLE: Final = frozenset({"failNode", "partitionNode", "rule", "metric", "fault", "load"})
_TIMING: Final = frozenset({"name", "at", "every", "until", "lasts", "refused"})


class ClusterShape(StrictModel):
    """The cluster that a scenario starts with. The fields are options of ``memkube.Memkube``."""

    nodes: int | None = Field(
        default=None, ge=0, description="Number of nodes outside of pools; by default 1, or 0 if there are node pools."
    )
    zones: int = Field(default=1, ge=1)
    nodePools: list[NodePool] = Field(default=[], description="Pools of simulated nodes to create at the start.")  # noqa: N815
    start: Instant = Field(default=read_instant(_START), description="Time at which the server's clock starts.")
    controllers: str | list[str] = "all"
    admission: str | list[str] = ""


class Step(StrictModel):
    """One step of a scenario: an action, when it happens, how often, and when it is undone."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str = Field(default="", description="Description of the step, which failure messages show.")
    at: When = Field(
        default=Moment("0s"),
        description="Time of the step: duration since the scenario's start, time of day, or date with a time.",
    )
    every: Period | None = Field(
        default=None, description="Interval at which the step is repeated; unset to run the step once."
    )
    until: When | None = Field(default=None, description="Time after which a step with 'every' is no longer repeated.")
    lasts: Period | None = Field(default=None, alias="for", description="Duration after which the action is undone.")
    refused: str | None = Field(
        default=None, description="Part of the error message with which the server must refuse the action."
    )

    failNode: str | None = Field(default=None, description="Name of a node to fail: its kubelet stops.")  # noqa: N815
    recoverNode: str | None = Field(default=None, description="Name of a failed node whose kubelet starts again.")  # noqa: N815
    addNodes: AddNodes | None = Field(default=None, description="Number of simulated nodes to add, and their pool.")  # noqa: N815
    removeNode: str | None = Field(default=None, description="Name of a node to remove without draining it.")  # noqa: N815
    rebootNode: str | None = Field(default=None, description="Name of the simulated node to reboot.")  # noqa: N815
    partitionNode: str | None = Field(default=None, description="Name of a node to cut off from the network.")  # noqa: N815
    healNode: str | None = Field(default=None, description="Name of a node to reconnect to the network.")  # noqa: N815
    rule: NamedRule | None = Field(
        default=None, description="Rule for simulated containers to add, as for `memkube rules put`."
    )
    deleteRule: str | None = Field(default=None, description="Name of the simulated containers' rule to delete.")  # noqa: N815
    metric: NamedMetric | None = Field(
        default=None, description="Custom or external metric to set, with its value, as for `memkube metrics put`."
    )
    deleteMetric: str | None = Field(default=None, description="Name of the metric whose value is deleted.")  # noqa: N815
    fault: NamedFault | None = Field(default=None, description="Fault to inject, in the form of the control API.")
    removeFault: str | None = Field(default=None, description="Name of a fault that was injected, to remove it.")  # noqa: N815
    load: Load | None = Field(default=None, description="CPU use to set for the containers of selected pods.")
    apply: Any = Field(
        default=None, description="Manifests to apply: a file or folder, YAML text, an object, or a list of these."
    )
    create: Any = Field(
        default=None,
        description="Manifests of objects to create: a file or folder, YAML text, an object, or a list of these.",
    )
    patch: Patch | None = None
    scale: Scale | None = None
    delete: Delete | None = None
    snapshot: Snapshot | None = None
    expect: list[Expectation] | None = Field(
        default=None, description="Checks of objects, made at the time of the step."
    )
    call: Callable[..., object] | None = Field(
        default=None, description="Function that is called with the cluster; only for scenarios in Python."
    )

    @model_validator(mode="after")
    def _is_consistent(self) -> "Step":
        names = [name for name in ACTIONS if getattr(self, name) is not None]
        if len(names) != 1:
            given = f"not {' and '.join(names)}" if names else f"one of {', '.join(ACTIONS)}"
            raise ValueError(f"a step must have one action, {given}")
        if self.lasts is not None and names[0] not in _UNDOABLE:
            raise ValueError(f"{names[0]} cannot be undone, so 'for' must not be set")
        if self.until is not None and self.every is None:
            raise ValueError("'until' ends the repetitions of a step: add 'every', or use 'for'")
        if self.every is not None and self.lasts is not None and self.lasts >= self.every:
            raise ValueError("'for' must be shorter than 'every'")
        if self.load is not None and self.load.is_shared and self.lasts is None:
            raise ValueError("a step with 'load' and 'total' needs 'for', its duration")
        return self

    @property
    def action(self) -> str:
        """Name of the field that gives the step's action, such as ``scale``."""
        return next(name for name in ACTIONS if getattr(self, name) is not None)

    def details(self) -> dict[str, Any]:
        """Return the action as JSON data, as in a scenario file; the name of a function for `call`."""
        if self.call is not None:
            return {"call": getattr(self.call, "__name__", "a function")}
        return self.model_dump(mode="json", include={self.action}, by_alias=True, exclude_unset=True, fallback=str)

    def __str__(self) -> str:
        if self.name:
            return self.name
        value = getattr(self, self.action)
        name = value if isinstance(value, str) else getattr(value, "name", None)
        return f"{self.action} {name}" if isinstance(name, str) else self.action


ACTIONS: Final = tuple(name for name in Step.model_fields if name not in _TIMING)
"""Names of the fields of a step that are actions."""


class Scenario(StrictModel):
    """The content of a scenario file: a cluster, and timed steps that change or check it until the end time `until`."""

    name: str = ""
    cluster: ClusterShape = Field(default_factory=ClusterShape)
    seed: int = Field(default=0, description="Seed of random values, such as uids and name suffixes.")
    setup: Any = Field(default=None, description="Manifests that are applied at the start: paths or objects.")
    steps: list[Step] = Field(default_factory=list)
    until: When = Field(description="End of the scenario: a duration since its start, or a time by the server's clock.")
    expect: list[Expectation] = Field(
        default_factory=list, description="Checks of objects, made at the end of the scenario."
    )
    folder: Path = Field(
        default=Path(),
        exclude=True,
        description="Folder of the scenario file, against which relative paths are resolved.",
    )


def read_scenario(given: AnyScenario) -> Scenario:
    """Return a Scenario. `given` is a Scenario, the content of a scenario file as a dictionary, or the path of a file.

    Raises UsageError, which names the file and the field, if the scenario cannot be read or is invalid.
    """
    if isinstance(given, Scenario):
        return given
    if isinstance(given, Mapping):
        return validated_description(Scenario, dict(given), "scenario")
    return read_description(Scenario, Path(given), "a scenario")
