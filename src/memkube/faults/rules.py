"""Which requests a fault is about, and which of those it hits."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from memkube.faults.attributes import RequestAttributes
from memkube.faults.effects import Effect, Glob, Stage

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
"""As the reference names them for authorization.

``post`` to ``options`` are those of addresses without a resource, and ``connect`` is what webhooks are told of exec and
the like, to whom a patch is an update.
"""
Resource: TypeAlias = Annotated[str, Field(max_length=253, pattern=r"^[a-z0-9*?./\[\]-]+$")]
Name: TypeAlias = Annotated[str, Field(max_length=253, pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")]
_NO_REQUEST: Final = "what a node writes is no request: its clock goes wrong from now on, or until an instant"
_WRITES: Final = frozenset({"create", "update", "patch", "delete", "deletecollection"})
_EXPIRING: Final = frozenset({"list", "watch", "deletecollection"})
_WHERE: Final = {409: (_WRITES, "writes conflict"), 410: (_EXPIRING, "lists and watches expire")}
_VERBS: Final = {
    Stage.READ: frozenset({"get", "list"}),
    Stage.WATCH: frozenset({"watch"}),
    Stage.EVENT: frozenset({"watch"}),
    Stage.BOOKMARK: frozenset({"watch"}),
    Stage.WEBHOOK: frozenset({"create", "update", "delete", "connect"}),
}
"""The verbs that each stage is about; of the others all."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True)


class Match(_Model):
    """Which requests a rule is about: those that fit everything that is set. ``*`` and the like stand for others."""

    verbs: tuple[Verb, ...] = Field(default=(), description="As RBAC names them.")
    groups: tuple[Annotated[str, Field(max_length=253)], ...] = Field(
        default=(), description='Of the resource; "" is the core group.'
    )
    resources: tuple[Resource, ...] = Field(
        default=(),
        description="Plurals, with or without a group: pods, deployments.apps. That is no subresource; pods/status is "
        "one, pods* all of them.",
    )
    namespaces: tuple[Glob, ...] = ()
    names: tuple[Glob, ...] = Field(default=(), description="Of the object; in a creation, as its body says.")
    users: tuple[Glob, ...] = ()
    user_agents: tuple[Annotated[str, Field(min_length=1, max_length=1024)], ...] = ()
    paths: tuple[Annotated[str, Field(pattern=r"^/", max_length=1024)], ...] = Field(
        default=(), description="Of addresses without a resource, such as /version or /apis*, which no other rules hit."
    )
    controllers: bool = Field(
        default=False,
        description="Whether the requests of the server's own controllers count as well. Their user agent is their "
        "field manager, such as kube-scheduler.",
    )

    @model_validator(mode="after")
    def _is_about_something(self) -> "Match":
        if self.paths and (self.groups or self.resources or self.namespaces or self.names):
            raise ValueError("paths are those of addresses without a resource")
        return self

    def fits(self, asked: RequestAttributes) -> bool:
        """Whether a request is one of these."""
        if asked.is_controller and not self.controllers:
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
    """Which of the requests that fit are hit."""

    after: Annotated[int, Field(ge=0)] = Field(default=0, description="So many are let through at first.")
    every: Annotated[int, Field(ge=1)] = Field(
        default=1, description="Of the others each so manieth, the first one on."
    )
    first: Annotated[int, Field(ge=1)] | None = Field(default=None, description="So many at most are hit.")
    probability: Annotated[float, Field(gt=0, le=1)] = 1.0
    seed: int = Field(default=0, description="Of the chance, which is the rule's own: the same each time it is added.")
    until: AwareDatetime | None = Field(default=None, description="None from this instant of the server's clock on.")


class FaultRule(_Model):
    """A fault: which requests it is about, which of those it hits, and what it does to them."""

    name: Name | None = Field(default=None, description="One is given where there is none.")
    match: Match = Match()
    when: Occasions = Occasions()
    effect: Effect

    @model_validator(mode="after")
    def _fits_its_effect(self) -> "FaultRule":
        effect, match = self.effect, self.match
        if effect.stage is Stage.NODE and (match != Match() or self.when != Occasions(until=self.when.until)):
            raise ValueError(_NO_REQUEST)
        if match.paths and effect.type not in ("delay", "error", "drop"):
            raise ValueError(f"{effect.type} is about resources, not about paths")
        if effect.type == "error" and effect.code in _WHERE:
            verbs, why = _WHERE[effect.code]
            if not match.verbs or not verbs.issuperset(match.verbs):
                raise ValueError(f"only {why}: a {effect.code} needs verbs out of {', '.join(sorted(verbs))}")
        if effect.stage in _VERBS and match.verbs and not _VERBS[effect.stage].intersection(match.verbs):
            raise ValueError(f"{effect.type} never comes to {', '.join(match.verbs)}")
        if effect.stage is Stage.WEBHOOK and match.user_agents:
            raise ValueError("webhooks are not told the user agent of a request")
        return self


def _fits(globs: Iterable[str], value: str) -> bool:
    globs = tuple(globs)
    return not globs or any(fnmatchcase(value, glob) for glob in globs)
