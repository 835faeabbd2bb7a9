"""Plugins one after another."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple, TypeAlias

from memkube.registry.admission import Attributes, Operation
from memkube.registry.lazy import Lazy
from memkube.registry.registry import Registry

CHANGES: Final[frozenset[Operation]] = frozenset({"CREATE", "UPDATE"})
EVERYTHING: Final[frozenset[Operation]] = CHANGES | {"DELETE", "CONNECT"}


class Plugin:
    """One rule, which has one step or both. They refuse by raising ApiError."""

    name: ClassVar[str]

    def __init__(self, registry: Registry) -> None:
        """`registry` is what it reads and writes: see :class:`Chain`."""
        self._registry = registry

    async def mutate(self, attributes: Attributes) -> None:
        """May change the object to be written."""

    async def validate(self, attributes: Attributes) -> None:
        """May refuse the object as it will be stored."""


MakePlugin: TypeAlias = Callable[[Registry], Plugin]


@dataclass(frozen=True)
class Registration:
    """A plugin before it is needed."""

    name: str
    make: Lazy[MakePlugin]
    resources: frozenset[tuple[str, str]] | None = None
    """What it has a say in, as groups and plurals; None for everything."""
    operations: frozenset[Operation] = CHANGES
    """What it is asked about (``Handles``)."""

    def concerns(self, group: str, plural: str, operation: Operation) -> bool:
        """Whether it has a say in what is done to objects of a resource."""
        return operation in self.operations and (self.resources is None or (group, plural) in self.resources)


class _Steps(NamedTuple):
    mutating: Sequence[Callable[[Attributes], Awaitable[None]]]
    validating: Sequence[Callable[[Attributes], Awaitable[None]]]


class Chain:
    """Every plugin's first step, then every plugin's second: see :class:`memkube.registry.admission.Admission`.

    A plugin is imported when something first happens that it has a say in, and costs nothing elsewhere.
    """

    def __init__(self, registrations: Sequence[Registration], registry: Registry) -> None:
        """`registry` is what plugins read and write: their own requests ask no plugin."""
        self._registrations = registrations
        self._registry = registry
        self._made: dict[str, Plugin] = {}
        self._known: dict[tuple[str, str, Operation], _Steps] = {}

    async def mutate(self, attributes: Attributes) -> None:
        """See Admission. Where a plugin asks for it, all are asked once more (``admission/reinvocation.go``)."""
        if attributes.context.admitted:
            return
        steps = self._steps(attributes).mutating
        for mutate in steps:
            await mutate(attributes)
        if attributes.reinvocation.requested:
            attributes.reinvocation.again = True
            for mutate in steps:
                await mutate(attributes)

    async def validate(self, attributes: Attributes) -> None:
        """See Admission."""
        if attributes.context.admitted:
            return
        for validate in self._steps(attributes).validating:
            await validate(attributes)

    def _steps(self, attributes: Attributes) -> _Steps:
        resource = attributes.resource
        about = (resource.group, resource.plural, attributes.operation)
        steps = self._known.get(about)
        if steps is None:
            plugins = [
                self._plugin(registration) for registration in self._registrations if registration.concerns(*about)
            ]
            steps = self._known[about] = _Steps(
                [plugin.mutate for plugin in plugins if type(plugin).mutate is not Plugin.mutate],
                [plugin.validate for plugin in plugins if type(plugin).validate is not Plugin.validate],
            )
        return steps

    def _plugin(self, registration: Registration) -> Plugin:
        if registration.name not in self._made:
            self._made[registration.name] = registration.make.load()(self._registry)
        return self._made[registration.name]
