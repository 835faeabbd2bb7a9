"""The description of a hunt: the operator, its workload, and the conditions that must always hold."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.strict_model import StrictModel
from memkube.cluster.descriptions import read_description, validated_description

AnyHunt: TypeAlias = "Hunt | str | os.PathLike[str] | Mapping[str, Any]"
"""A hunt, the path of its file, or its content as a dictionary."""


class Operator(StrictModel):
    """A program that finds the cluster by the environment variable ``KUBECONFIG``."""

    command: list[str] = Field(min_length=1, description="The command line, as a list.")
    directory: str = Field(default=".", description="Folder in which the operator runs, relative to the file.")
    env: dict[str, str] = Field(default={}, description="Further environment variables.")
    identity: str = Field(
        default="operator", min_length=1, description="Name of the user in the operator's kubeconfig."
    )


class Target(StrictModel):
    """A reference to an object of the cluster."""

    apiVersion: str  # noqa: N815  the name of the field
    kind: str
    name: str
    namespace: str = ""


class PatchedTarget(Target):
    """A reference to an object, and a merge patch for the object."""

    patch: dict[str, Any]


class Step(StrictModel):
    """One step of the workload."""

    apply: Any = Field(default=None, description="Manifests to apply: a file, a document, or a list of both.")
    patch: PatchedTarget | None = Field(default=None, description="Object to patch.")
    delete: Target | None = Field(default=None, description="Object to delete.")
    advance: str = Field(default="", description="How far to advance the cluster's clock, such as 5m.")
    run: str = Field(default="", description="Command for a shell, with KUBECONFIG set.")

    @model_validator(mode="after")
    def _is_one(self) -> "Step":
        if len(self.model_fields_set) != 1:
            raise ValueError("a step has exactly one of apply, patch, delete, advance and run")
        if self.advance:
            parse_duration(self.advance)
        return self

    @property
    def advance_seconds(self) -> float:
        """Number of seconds by which the step advances the clock."""
        return parse_duration(self.advance) if self.advance else 0.0

    def __str__(self) -> str:
        """Describe the step in one line."""
        if self.patch is not None:
            return f"patch {self.patch.kind} {self.patch.name} with {self.patch.patch}"
        if self.delete is not None:
            return f"delete {self.delete.kind} {self.delete.name}"
        if self.advance:
            return f"advance the clock by {self.advance}"
        return f"run {self.run}" if self.run else f"apply {_shown(self.apply)}"


class Invariant(StrictModel):
    """A CEL expression that must be true after every change of an object."""

    name: str
    expression: str = Field(description="Expression over `objects` (a list of all objects) and `history`.")


class Hunt(StrictModel):
    """An operator, the workload that makes it act, and the rules by which the results of its runs are judged."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    folder: Path = Field(default=Path(), exclude=True)
    operator: Operator | list[Operator]
    setup: list[Any] = Field(default=[], description="Manifests that are applied before the operator starts.")
    workload: list[Step] = Field(min_length=1)
    quiet: str = Field(default="1s", description="Time without writes after which the next step happens.")
    controllers: str | list[str] = "all"
    ignore: list[str] = Field(default=[], description="JSON pointers into objects that end states may differ in.")
    invariants: list[Invariant] = Field(default=[], description="CEL expressions that must be true after every change.")

    @model_validator(mode="after")
    def _check(self) -> "Hunt":
        if not 0 < parse_duration(self.quiet) <= 60:
            raise ValueError("quiet must be more than 0s and at most 60s")
        if any(not pointer.startswith("/") for pointer in self.ignore):
            raise ValueError("ignore: a JSON pointer begins with /")
        if not self.operators:
            raise ValueError("operator: name at least one")
        names = [operator.identity for operator in self.operators]
        if len(set(names)) < len(names):
            raise ValueError("operator: each needs an identity of its own")
        return self

    @property
    def operators(self) -> list[Operator]:
        """The operators to run; `operator` may be one or a list."""
        return self.operator if isinstance(self.operator, list) else [self.operator]

    @property
    def quiet_seconds(self) -> float:
        """Seconds without writes after which the next step of the workload happens."""
        return parse_duration(self.quiet)


def read_hunt(given: AnyHunt) -> Hunt:
    """Return the description of a hunt. Raises UsageError, which names the file and the field, if it is not valid."""
    if isinstance(given, Hunt):
        return given
    if isinstance(given, Mapping):
        return validated_description(Hunt, dict(given), "hunt")
    return read_description(Hunt, Path(given).resolve(), "a hunt")


def located(manifests: Any, folder: Path) -> list[Any]:
    """Return manifests as a list, with names of files relative to a folder as paths."""
    given = manifests if isinstance(manifests, list) else [manifests]
    return [folder / one if isinstance(one, str) and "\n" not in one else one for one in given]


def _shown(manifests: Any) -> str:
    given = manifests if isinstance(manifests, list) else [manifests]
    names = [one if isinstance(one, str) and "\n" not in one else _name(one) for one in given]
    return ", ".join(names)


def _name(manifest: Any) -> str:
    if isinstance(manifest, Mapping):
        return f"{manifest.get('kind')} {(manifest.get('metadata') or {}).get('name')}"
    return "a manifest"
