"""Runs the enabled admission plugins on each write: first all mutating phases, then all validating ones."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from types import MappingProxyType
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

from memkube.hooks.client import HookClient
from memkube.registry.declarations.admission import Attributes, Emptiness, Operation
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.registry import Registry
from memkube.telemetry.measures import ADMISSION_SECONDS, Histogram, Measures
from memkube.time.request_context import step

StepType: TypeAlias = Literal["admit", "validate"]
CHANGES: Final[frozenset[Operation]] = frozenset({"CREATE", "UPDATE"})
EVERYTHING: Final[frozenset[Operation]] = CHANGES | {"DELETE", "CONNECT"}
_QUICK: Final = ADMISSION_SECONDS[0]


class AdmissionParts(NamedTuple):
    """The parts of this server that admission plugins use, such as the stored objects and the webhook client."""

    registry: Registry
    """Storage of all API objects. Writes through it skip admission, so that plugins do not check writes by a plugin."""
    measures: Measures
    hook_client: HookClient
    """HTTP client that calls admission webhooks."""
    absent_controllers: Mapping[tuple[str, str], str] = MappingProxyType({})
    """Names of the controllers that do not run, by the group and plural of the objects that they would act on."""


class Plugin:
    """An admission plugin with a mutating phase, a validating phase or both.

    Plugins refuse requests by raising ApiError.
    """

    name: ClassVar[str]

    configured: Emptiness | None = None
    """`configured.known` is True if no object configures the plugin, such as a quota; the plugin is then skipped."""

    def __init__(self, parts: AdmissionParts) -> None:
        self._registry = parts.registry

    async def mutate(self, attributes: Attributes) -> None:
        """Change the object of the request, or raise ApiError to refuse the request."""

    async def validate(self, attributes: Attributes) -> None:
        """Raise ApiError to refuse the request. The object has its final content; this method must not change it."""


MakePlugin: TypeAlias = Callable[[AdmissionParts], Plugin]


@dataclass(frozen=True)
class Registration:
    """An available plugin: its name, and the resources and operations that it handles.

    The module of the plugin is imported before the plugin first runs.
    """

    name: str
    make: Lazy[MakePlugin]
    resources: frozenset[tuple[str, str]] | None = None
    """Pairs of group and plural that the plugin handles; None for all resources."""
    operations: frozenset[Operation] = CHANGES
    """Operations that the plugin handles (``Handles``)."""

    def concerns(self, group: str, plural: str, operation: Operation) -> bool:
        """True if the plugin handles the operation on objects of the resource."""
        return operation in self.operations and (self.resources is None or (group, plural) in self.resources)


class _Step(NamedTuple):
    """The mutating or the validating phase of one plugin."""

    run: Callable[[Attributes], Awaitable[None]]
    plugin: str
    seconds: Histogram
    """Metric for the duration of this phase in seconds. A phase that refuses the request is not counted."""
    configured: Emptiness | None


class _Steps(NamedTuple):
    mutating: Sequence[_Step]
    validating: Sequence[_Step]


class Chain:
    """The enabled admission plugins: runs the mutating phases of all plugins, then their validating phases.

    The module of a plugin is imported before the first request that the plugin handles.
    """

    def __init__(self, registrations: Sequence[Registration], parts: AdmissionParts) -> None:
        self._registrations = registrations
        self._parts = parts
        self._measures = parts.measures
        self._made: dict[str, Plugin] = {}
        self._known: dict[tuple[str, str, Operation], _Steps] = {}

    async def mutate(self, attributes: Attributes) -> None:
        """Run the mutating phase of each plugin in order.

        If a plugin requests reinvocation, all plugins run a second time (``admission/reinvocation.go``).
        """
        if attributes.context.admitted:
            return
        steps = self._steps(attributes).mutating
        began = monotonic()
        step("object made")
        ended = await self._run(steps, attributes, "admit", began)
        if attributes.reinvocation.requested:
            attributes.reinvocation.again = True
            ended = await self._run(steps, attributes, "admit", ended)
        step("mutating admission done")
        self._measures.admission_steps["admit", attributes.operation, False].observe(ended - began)

    async def validate(self, attributes: Attributes) -> None:
        if attributes.context.admitted:
            return
        began = monotonic()
        step("object checked")
        ended = await self._run(self._steps(attributes).validating, attributes, "validate", began)
        step("validating admission done")
        self._measures.admission_steps["validate", attributes.operation, False].observe(ended - began)

    async def _run(self, steps: Sequence[_Step], attributes: Attributes, kind: StepType, began: float) -> float:
        """Run `steps`, the mutating or the validating phases of plugins, in order, and measure each duration.

        `kind` is ``admit`` for mutating phases and ``validate`` for validating ones, as in metrics. `began` is the
        monotonic time at which the first phase begins. Returns the monotonic time at which the last phase ended.
        """
        last, step = began, None
        try:
            for step in steps:
                run, _, seconds, configured = step
                if configured is not None and configured.known:
                    seconds.counts[0] += 1
                    continue
                await run(attributes)
                now = monotonic()
                took, last = now - last, now
                if took <= _QUICK:
                    # The code of `observe` for the lowest histogram bucket is repeated here: a write runs about twenty
                    # plugins, and most of them take less time than a call of `observe`.
                    seconds.counts[0] += 1
                    seconds.total += took
                else:
                    seconds.observe(took)
        except BaseException:
            assert step is not None
            now, measures, operation = monotonic(), self._measures, attributes.operation
            measures.plugins[step.plugin, kind, operation, True].observe(now - last)
            measures.admission_steps[kind, operation, True].observe(now - began)
            raise
        return last

    def _steps(self, attributes: Attributes) -> _Steps:
        resource = attributes.resource
        about = (resource.group, resource.plural, attributes.operation)
        steps = self._known.get(about)
        if steps is None:
            plugins = [
                self._plugin(registration) for registration in self._registrations if registration.concerns(*about)
            ]
            mutating = [plugin for plugin in plugins if type(plugin).mutate is not Plugin.mutate]
            validating = [plugin for plugin in plugins if type(plugin).validate is not Plugin.validate]
            seconds, operation = self._measures.plugins, attributes.operation
            steps = self._known[about] = _Steps(
                [
                    _Step(one.mutate, one.name, seconds[one.name, "admit", operation, False], one.configured)
                    for one in mutating
                ],
                [
                    _Step(one.validate, one.name, seconds[one.name, "validate", operation, False], one.configured)
                    for one in validating
                ],
            )
        return steps

    def _plugin(self, registration: Registration) -> Plugin:
        if registration.name not in self._made:
            self._made[registration.name] = registration.make.load()(self._parts)
        return self._made[registration.name]
