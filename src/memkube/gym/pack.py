"""Fault packs: YAML files in the folder ``packs``, each of which declares a task.

The first document of a file has the title and the variables, whose values the seed chooses. The second document is the
task. In its text, ``{{NAME}}`` stands for the value of a variable.
"""

import random
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final, TypeAlias

import yaml
from pydantic import Field

from memkube.apimachinery.strict_model import StrictModel
from memkube.cluster.descriptions import validated_description
from memkube.errors import UsageError, unknown_name
from memkube.gym.goals import Goal, Invariant, OfObject

Values: TypeAlias = Mapping[str, str | int]
"""Values of a pack's variables, by name of the variable."""
_PACKS: Final = files("memkube.gym") / "packs"
_SEPARATOR: Final = "\n---\n"
_VARIABLE: Final = re.compile(r"\{\{(\w+)\}\}")


class NumberRange(StrictModel):
    """A range of integers, from which the seed chooses one."""

    lowest: int = Field(alias="from")
    highest: int = Field(alias="to")


class Head(StrictModel):
    """The first YAML document of a task's file: the title and the variables, which do not depend on the seed."""

    title: str = Field(description="Title in the list of tasks, which says what is wrong in the cluster.")
    variables: dict[str, NumberRange | list[str | int] | dict[str, dict[str, str | int]]] = Field(
        description="Possible values of each variable: a range of integers, a list, or an object whose keys are the "
        "possible values. Below each key are the values that other variables get if the key is chosen."
    )

    def chosen(self, name: str, seed: int) -> Values:
        """Return the values of the variables, as the seed and the task's name `name` choose them.

        The same seed always chooses the same values. Two variables with the same list of choices get different values.
        """
        source = random.Random(f"{name}/{seed}")  # noqa: S311 - varies tasks, and must be repeatable
        values: dict[str, str | int] = {}
        for variable, choices in self.variables.items():
            if isinstance(choices, NumberRange):
                values[variable] = source.randint(choices.lowest, choices.highest)
            elif isinstance(choices, list):
                values[variable] = source.choice([choice for choice in choices if choice not in values.values()])
            else:
                values[variable] = source.choice(sorted(choices))
                values |= choices[str(values[variable])]
        return values


class AllowedChange(StrictModel):
    """Objects that the agent may change, and the changes that are allowed.

    Names and fields may contain the wildcards ``*`` and ``?``.
    """

    resource: str = Field(description="Plural name of the objects' resource; may contain wildcards.")
    name: str = "*"
    namespace: str = "*"
    fields: list[str] = Field(
        default=[], description="Paths of fields that the agent may change; list items are named by their field 'name'."
    )
    deleted: bool = Field(default=False, description="True if the agent may delete the objects that this rule selects.")
    created: bool = Field(default=False, description="True if the agent may create objects that this rule selects.")


class Grader(StrictModel):
    """The goals that the agent must reach, and the changes that it may make."""

    goals: list[Goal] = Field(min_length=1)
    changes: list[AllowedChange]
    always: list[Invariant] = Field(
        default=[], description="Conditions that objects must meet in each of their revisions during the episode."
    )


class Step(StrictModel):
    """One change that breaks the cluster. Exactly one field is set."""

    advance: float = Field(default=0, description="Seconds by which the cluster's clock is advanced.")
    apply: list[dict[str, Any]] = Field(default=[], description="Objects to create or change by server-side apply.")
    delete: OfObject | None = Field(default=None, description="Resource, name and namespace of the object to delete.")
    available: dict[str, dict[str, str]] = Field(
        default={},
        description="Memory, disk space or process IDs to report as available on a node, by the name of the node.",
    )


class Task(StrictModel):
    """The task of one episode: the text for the agent, the broken cluster, and the grader.

    Its variables are already replaced by the values that the seed has chosen.
    """

    text: str = Field(description="Text that tells the agent what is wrong and what it must achieve.")
    namespaces: list[str] = Field(min_length=1, description="Namespaces in which the agent may do everything.")
    rights: list[dict[str, Any]] = Field(
        default=[],
        description="RBAC rules that the agent gets in the whole cluster, besides read access to some resources.",
    )
    rules: dict[str, dict[str, Any]] = Field(
        default={}, description="Rules for the behaviour of simulated containers, by name."
    )
    manifests: list[dict[str, Any]] = Field(description="Objects that exist before the cluster is broken.")
    steps: list[Step] = Field(
        default=[],
        description="Changes that break the cluster, in order. After them, the cluster's clock advances by a minute.",
    )
    grader: Grader


def task_names() -> list[str]:
    """Return the names of all tasks, sorted."""
    return sorted(path.name.removesuffix(".yaml") for path in _PACKS.iterdir() if path.name.endswith(".yaml"))


def check_task(name: str) -> None:
    """Raise UsageError if there is no task of this name."""
    if name not in (known := task_names()):
        raise UsageError(unknown_name("task", name, known))


def title_of(name: str) -> str:
    """Return the title of the task with this name. Raises UsageError if no task has this name."""
    return _read(name)[0].title


def read_task(name: str, seed: int) -> Task:
    """Return a task, with its variables replaced by the values that the seed chooses.

    Raises UsageError if no task has this name.
    """
    head, body = _read(name)
    values = head.chosen(name, seed)
    text = _VARIABLE.sub(lambda match: str(values[match[1]]), body)
    return validated_description(Task, yaml.safe_load(text), f"task {name}")


def _read(name: str) -> tuple[Head, str]:
    """Return the first YAML document of a task's file, parsed, and the second one as text."""
    check_task(name)
    head, _, body = (_PACKS / f"{name}.yaml").read_text("utf-8").partition(_SEPARATOR)
    return validated_description(Head, yaml.safe_load(head), f"task {name}"), body
