"""The description of a hunt (search for bugs): operators, workload, and invariants that must hold during each run."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, field_validator, model_validator

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.strict_model import StrictModel
from memkube.cluster.descriptions import read_description, validated_description
from memkube.registry.declarations.request_options import ANONYMOUS

AnyHunt: TypeAlias = "Hunt | str | os.PathLike[str] | Mapping[str, Any]"
"""Description of a bug search: a `Hunt`, the path of a file with it, or the content of such a file as a dictionary."""


class Operator(StrictModel):
    """An operator under test: a program that connects to the cluster of the kubeconfig in ``KUBECONFIG``."""

    command: list[str] = Field(
        min_length=1, description="Command line of the operator: a list of the program and its arguments."
    )
    directory: str = Field(
        default=".", description="Folder in which the operator runs, relative to the folder of the hunt's file."
    )
    env: dict[str, str] = Field(
        default={}, description="Environment variables of the operator, in addition to those of memkube."
    )
    identity: str = Field(
        default="operator",
        min_length=1,
        description="Name of the user in the operator's kubeconfig, by which memkube recognizes its requests.",
    )


_SEVERAL: Final = TypeAdapter(list[Operator])


class Target(StrictModel):
    """A reference to an object in the cluster, by API version, kind, namespace and name."""

    apiVersion: str  # noqa: N815  the name of the field
    kind: str
    name: str
    namespace: str = ""


class PatchedTarget(Target):
    """A reference to an object, and the JSON merge patch to apply to the object."""

    patch: dict[str, Any]


class Step(StrictModel):
    """One step of the workload: a change of the cluster that makes the operator act."""

    apply: Any = Field(
        default=None, description="Manifests to apply: a file or folder, YAML text, an object, or a list of these."
    )
    patch: PatchedTarget | None = Field(
        default=None, description="JSON merge patch to apply to an object: the reference to the object, and the patch."
    )
    delete: Target | None = Field(
        default=None, description="API version, kind, name and namespace of the object to delete."
    )
    advance: str = Field(default="", description="Duration by which to advance the cluster's clock, such as 5m.")
    run: str = Field(
        default="", description="Shell command to run, with a kubeconfig of a user with all rights in KUBECONFIG."
    )

    @model_validator(mode="after")
    def _is_one(self) -> "Step":
        if len(self.model_fields_set) != 1:
            raise ValueError("a step must have exactly one of the fields apply, patch, delete, advance and run")
        if self.advance:
            parse_duration(self.advance)
        return self

    @property
    def advance_seconds(self) -> float:
        """Number of seconds by which the step advances the clock."""
        return parse_duration(self.advance) if self.advance else 0.0

    def __str__(self) -> str:
        if self.patch is not None:
            return f"patch {self.patch.kind} {self.patch.name} with {self.patch.patch}"
        if self.delete is not None:
            return f"delete {self.delete.kind} {self.delete.name}"
        if self.advance:
            return f"advance the clock by {self.advance}"
        return f"run {self.run}" if self.run else f"apply {_shown(self.apply)}"


class Invariant(StrictModel):
    """A CEL expression over the objects of the cluster that must be true after every change of an object."""

    name: str
    expression: str = Field(
        description="CEL expression that must be true after every change of an object. `objects` is the list of all "
        "objects, and `history` the list of all their changes so far."
    )


class Hunt(StrictModel):
    """Description of a search for bugs: the operators, the workload that makes them act, and the rules for each run."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    folder: Path = Field(default=Path(), exclude=True)
    operator: Operator | list[Operator]
    setup: list[Any] = Field(default=[], description="Manifests to apply before the operator starts.")
    workload: list[Step] = Field(min_length=1)
    quiet: str = Field(
        default="1s", description="Time without writes of objects after which the next step of the workload begins."
    )
    controllers: str | list[str] = "all"
    ignore: list[str] = Field(
        default=[], description="JSON pointers to fields of objects; these fields are not compared between runs."
    )
    invariants: list[Invariant] = Field(
        default=[], description="CEL expressions that must be true after every change of an object."
    )

    @field_validator("operator", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        # Pydantic would report the errors of both types of the union, and name the types in the path of the field.
        return _SEVERAL.validate_python(value) if isinstance(value, list) else Operator.model_validate(value)

    @model_validator(mode="after")
    def _check(self) -> "Hunt":
        if not 0 < parse_duration(self.quiet) <= 60:
            raise ValueError("quiet must be more than 0s and at most 60s")
        if any(not pointer.startswith("/") for pointer in self.ignore):
            raise ValueError("ignore: every JSON pointer must begin with /")
        if not self.operators:
            raise ValueError("operator: at least one operator is required")
        names = [operator.identity for operator in self.operators]
        if len(set(names)) < len(names):
            raise ValueError("operator: two operators have the same identity; give each its own")
        return self

    @property
    def operators(self) -> list[Operator]:
        """The operators to run, as a list. The field `operator` may also be a single operator."""
        return self.operator if isinstance(self.operator, list) else [self.operator]

    @property
    def users(self) -> dict[str, str]:
        """The identity of the operator for the name of each user that sends its requests.

        Requests without credentials count as those of the operator if there is only one. It may read only the server's
        address from its kubeconfig, because the server needs no credentials.
        """
        users = {operator.identity: operator.identity for operator in self.operators}
        return users if len(users) > 1 else {**users, ANONYMOUS: self.operators[0].identity}

    @property
    def quiet_seconds(self) -> float:
        """Seconds without writes of objects after which the next step of the workload begins."""
        return parse_duration(self.quiet)


def read_hunt(given: AnyHunt) -> Hunt:
    """Return the description of a hunt, from its file's path or its content as a dictionary.

    Raises UsageError, which names the file and the field, if the description is not valid.
    """
    if isinstance(given, Hunt):
        return given
    if isinstance(given, Mapping):
        return validated_description(Hunt, dict(given), "hunt")
    return read_description(Hunt, Path(given).resolve(), "a hunt")


def located(manifests: Any, folder: Path) -> list[Any]:
    """Return manifests as a list, in which file names (strings of one line) are replaced by paths below `folder`."""
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
