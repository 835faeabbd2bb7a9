"""Plugins one after another."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeAlias

from memkube.registry.admission import Attributes
from memkube.registry.lazy import Lazy
from memkube.registry.registry import Registry
from memkube.registry.resource import Resource


class Plugin:
    """One rule, which has one step or both. They refuse by raising ApiError."""

    name: ClassVar[str]

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


class _Steps(NamedTuple):
    mutating: Sequence[Callable[[Attributes], Awaitable[None]]]
    validating: Sequence[Callable[[Attributes], Awaitable[None]]]


class Chain:
    """Every plugin's first step, then every plugin's second: see :class:`memkube.registry.admission.Admission`.

    A plugin is imported when something is first written that it has a say in.
    """

    def __init__(self, registrations: Sequence[Registration], registry: Registry) -> None:
        """`registry` is what plugins read and write: their own requests ask no plugin."""
        self._registrations = registrations
        self._registry = registry
        self._made: dict[str, Plugin] = {}
        self._by_resource: dict[tuple[str, str], _Steps] = {}

    async def mutate(self, attributes: Attributes) -> None:
        """See Admission."""
        for mutate in self._steps(attributes.resource).mutating:
            await mutate(attributes)

    async def validate(self, attributes: Attributes) -> None:
        """See Admission."""
        for validate in self._steps(attributes.resource).validating:
            await validate(attributes)

    def _steps(self, resource: Resource) -> _Steps:
        name = (resource.group, resource.plural)
        steps = self._by_resource.get(name)
        if steps is None:
            concerned = [r for r in self._registrations if r.resources is None or name in r.resources]
            plugins = [self._plugin(registration) for registration in concerned]
            steps = self._by_resource[name] = _Steps(
                [plugin.mutate for plugin in plugins if type(plugin).mutate is not Plugin.mutate],
                [plugin.validate for plugin in plugins if type(plugin).validate is not Plugin.validate],
            )
        return steps

    def _plugin(self, registration: Registration) -> Plugin:
        if registration.name not in self._made:
            self._made[registration.name] = registration.make.load()(self._registry)
        return self._made[registration.name]
