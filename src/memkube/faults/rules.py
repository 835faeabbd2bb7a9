"""Fault rules: which requests match, to which of the matching requests the effect is applied, and the effect."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AwareDatetime, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from memkube.apimachinery.strict_model import StrictModel
from memkube.faults.attributes import RequestAttributes, Stage
from memkube.faults.effects import Effect, Glob
from memkube.faults.names import NAME_PATTERN

Verb: TypeAlias = Literal[
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
    "post",
    "put",
    "head",
    "options",
    "connect",
]
"""Verbs as in Kubernetes authorization.

The HTTP methods ``post``, ``put``, ``head`` and ``options`` are verbs of paths that are not resources. For webhooks,
``connect`` is the operation of ``exec`` and other connect subresources, and a patch is an ``update``.
"""
Resource: TypeAlias = Annotated[str, Field(max_length=253, pattern=r"^[a-z0-9*?./\[\]-]+$")]
Name: TypeAlias = Annotated[str, Field(max_length=253, pattern=NAME_PATTERN)]
_NO_REQUEST: Final = "clockDrift does not apply to requests: of the conditions, only until may be set"
_WRITES: Final = frozenset({"create", "update", "patch", "delete", "deletecollection"})
_EXPIRING: Final = frozenset({"list", "watch", "deletecollection"})
_WHERE: Final = {409: (_WRITES, "only writes conflict"), 410: (_EXPIRING, "only lists and watches expire")}
_VERBS: Final = {
    Stage.READ: frozenset({"get", "list"}),
    Stage.WATCH: frozenset({"watch"}),
    Stage.EVENT: frozenset({"watch"}),
    Stage.BOOKMARK: frozenset({"watch"}),
    Stage.WEBHOOK: frozenset({"create", "update", "delete", "connect"}),
}
"""Verbs supported at each stage of request handling. A stage that is not listed supports all verbs."""


class _Model(StrictModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)


class Match(_Model):
    """Conditions on requests. A request matches if it meets all of them. Wildcards are ``*``, ``?`` and ``[...]``."""

    verbs: tuple[Verb, ...] = Field(default=(), description="Verbs of the requests, as in RBAC rules; all if empty.")
    groups: tuple[Annotated[str, Field(max_length=253)], ...] = Field(
        default=(), description='API groups of the requested resource; "" is the core group.'
    )
    resources: tuple[Resource, ...] = Field(
        default=(),
        description="Plurals, with or without a group: pods, deployments.apps. A plural does not match subresources; "
        "pods/status matches one of them, and pods* matches pods with all subresources.",
    )
    namespaces: tuple[Glob, ...] = ()
    names: tuple[Glob, ...] = Field(
        default=(), description="Names of the requested objects; for a create, the name in the request body."
    )
    users: tuple[Glob, ...] = ()
    user_agents: tuple[Annotated[str, Field(min_length=1, max_length=1024)], ...] = ()
    paths: tuple[Annotated[str, Field(pattern=r"^/", max_length=1024)], ...] = Field(
        default=(),
        description="Paths of requests without a resource, such as /version or /apis*; if unset, such requests "
        "do not match.",
    )
    controllers: bool = Field(
        default=False,
        description="True to match requests of the server's own controllers as well. As user agent, such a request has "
        "the name of the controller's field manager, such as kube-scheduler.",
    )

    @model_validator(mode="after")
    def _is_about_something(self) -> "Match":
        if self.paths and (self.groups or self.resources or self.namespaces or self.names):
            raise ValueError(
                "paths match requests without a resource, so groups, resources, namespaces and names must not be set"
            )
        return self

    def fits(self, asked: RequestAttributes) -> bool:
        """Return True if a request with the attributes `asked` meets all conditions."""
        if asked.is_spared or (asked.is_controller and not self.controllers):
            return False
        if bool(asked.resource) == bool(self.paths):
            return False
        return (
            (not self.verbs or asked.verb in self.verbs)
            and _fits(self.groups, asked.group)
            and (_fits(self.resources, asked.resource) or _fits(self.resources, asked.qualified_resource))
            and _fits(self.namespaces, asked.namespace)
            and _fits(self.names, asked.name)
            and _fits(self.users, asked.user)
            and _fits(self.user_agents, asked.user_agent)
            and _fits(self.paths, asked.path)
        )


class Occasions(_Model):
    """Selects requests among those that match a rule, by number, chance and time. The effect applies only to them."""

    after: Annotated[int, Field(ge=0)] = Field(
        default=0, description="Number of matching requests to let through before the fault is first applied."
    )
    every: Annotated[int, Field(ge=1)] = Field(
        default=1,
        description="Apply the fault to every Nth matching request after those let through by `after`, beginning with "
        "the first.",
    )
    first: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Maximum number of requests to which the fault is applied."
    )
    probability: Annotated[float, Field(gt=0, le=1)] = 1.0
    seed: int = Field(
        default=0,
        description="Seed of the random numbers for `probability`; with the same seed, they are the same in each run.",
    )
    until: AwareDatetime | None = Field(default=None, description="Time of the server's clock at which the fault ends.")


class FaultRule(_Model):
    """A fault: the conditions on requests, the selection of matching requests, and the effect."""

    name: Name | None = Field(
        default=None, description="Name by which the fault is shown and removed; generated if not set."
    )
    match: Match = Match()
    when: Occasions = Occasions()
    effect: Effect

    @model_validator(mode="after")
    def _fits_its_effect(self) -> "FaultRule":
        effect, match = self.effect, self.match
        if effect.stage is Stage.NODE and (match != Match() or self.when != Occasions(until=self.when.until)):
            raise ValueError(_NO_REQUEST)
        if match.paths and effect.type not in ("delay", "error", "drop"):
            raise ValueError(f"{effect.type} applies only to requests for resources, so paths must not be set")
        if effect.type == "error" and effect.code in _WHERE:
            verbs, why = _WHERE[effect.code]
            if not match.verbs or not verbs.issuperset(match.verbs):
                raise ValueError(
                    f"a fault with code {effect.code} must be limited to the verbs {', '.join(sorted(verbs))}: {why}"
                )
        if effect.stage in _VERBS and match.verbs and not _VERBS[effect.stage].intersection(match.verbs):
            raise ValueError(f"{effect.type} does not apply to the verbs {', '.join(match.verbs)}")
        if effect.stage is Stage.WEBHOOK and match.user_agents:
            raise ValueError(
                "webhookTimeout cannot be limited to user agents: the client is unknown when webhooks are called"
            )
        return self


def _fits(globs: Iterable[str], value: str) -> bool:
    globs = tuple(globs)
    return not globs or any(fnmatchcase(value, glob) for glob in globs)
