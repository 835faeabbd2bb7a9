"""Compiles Stage objects. Stages with features that memkube does not support are refused."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from pydantic import ValidationError

from memkube.apimachinery.model import Document
from memkube.controllers.stages.languages.cel import CelExpression, CelLanguage
from memkube.controllers.stages.languages.jq import Query
from memkube.controllers.stages.languages.template_arguments import TemplateFunction
from memkube.controllers.stages.languages.templates import Template
from memkube.controllers.stages.stage import (
    Action,
    ApplyObject,
    ChangeFinalizers,
    Condition,
    Delay,
    DeleteObject,
    Expression,
    PatchObject,
    Requirement,
    Selector,
    SendEvent,
    Span,
    Stage,
    Weight,
)
from memkube.controllers.stages.types import (
    ExpressionFrom,
    Impersonation,
    MatchExpression,
    SelectorJq,
    StageDelay,
    StageNext,
    StagePatch,
    StageSelector,
    StageSpec,
    StageStep,
)

_PATCH_TYPES: Final = ("", "json", "merge", "strategic")
_APPLY_TYPES: Final = ("", "apply", "merge", "strategic")
_LISTS: Final = ("In", "NotIn")
_PRESENCES: Final = ("Exists", "DoesNotExist")
_MILLISECOND: Final = 1_000_000

Functions: TypeAlias = Mapping[str, TemplateFunction]


class StageLanguages(NamedTuple):
    """The CEL language and the template functions of the Stages for one kind of objects."""

    cel: CelLanguage
    """Variables, types and functions of the CEL expressions."""
    functions: Functions
    """Functions that the templates may call, by name."""
    impersonates_to_apply: bool
    """True if the action ``apply`` may impersonate a user. In Stages for Pods and Nodes, KWOK ignores the user."""


def compiled_stage(name: str, spec: Document, languages: StageLanguages) -> Stage | None:
    """Compile the ``spec`` of the Stage `name`.

    `languages` are those for the kind of the Stage's objects. Returns None for a Stage without a selector, which
    selects nothing. Raises ValueError with a message of one line if the Stage cannot be executed as in KWOK.
    """
    try:
        read = StageSpec.model_validate(spec)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"spec.{'.'.join(str(part) for part in first['loc'])}: {first['msg']}") from None
    if read.selector is None:
        return None
    cel = languages.cel
    return Stage(
        name,
        _selector(read.selector, cel),
        Weight(read.weight, _expression(read.weightFrom, cel)),
        _delay(read.delay, cel) if read.delay is not None else Delay(Span(None, None), Span(None, None)),
        [_actions(step, languages) for step in read.steps or _older_steps(read.next or StageNext())],
    )


def _selector(selector: StageSelector, cel: CelLanguage) -> Selector:
    requirements = [_requirement(expression, cel) for expression in selector.matchExpressions]
    return Selector(selector.matchLabels, selector.matchAnnotations, requirements)


def _requirement(expression: MatchExpression, cel: CelLanguage) -> Requirement | Condition:
    if expression.cel is not None and expression.jq is None and not expression.key:
        return Condition(CelExpression(expression.cel.expression, cel))
    older = SelectorJq(key=expression.key, operator=expression.operator, values=expression.values)
    jq = expression.jq or older
    if not jq.key:
        raise ValueError("invalid expression in matchExpressions: it has no key")
    if jq.operator not in (*_LISTS, *_PRESENCES):
        raise ValueError(f'operator "{jq.operator}" is not supported')
    if bool(jq.values) != (jq.operator in _LISTS):
        needs = "at least one value" if jq.operator in _LISTS else "no values"
        raise ValueError(f"operator {jq.operator} takes {needs}")
    return Requirement(Query(jq.key), jq.operator, frozenset(jq.values))


def _expression(source: ExpressionFrom | None, cel: CelLanguage) -> Expression | None:
    if source is None:
        return None
    if source.cel is not None:
        return CelExpression(source.cel.expression, cel)
    text = source.jq.expression if source.jq is not None else source.expressionFrom
    return Query(text) if text else None


def _delay(delay: StageDelay, cel: CelLanguage) -> Delay:
    duration, jitter = _expression(delay.durationFrom, cel), _expression(delay.jitterDurationFrom, cel)
    if isinstance(jitter, CelExpression):
        # KWOK accepts a CEL expression in jitterDurationFrom but ignores it. Refuse the Stage, so that its author
        # notices this.
        raise ValueError("CEL expressions in jitterDurationFrom are not supported")
    latest = delay.jitterDurationMilliseconds
    return Delay(
        Span((delay.durationMilliseconds or 0) * _MILLISECOND, duration),
        Span(None if latest is None else latest * _MILLISECOND, jitter),
    )


def _older_steps(following: StageNext) -> Iterator[StageStep]:
    """Convert the field ``next`` of a Stage, which KWOK has replaced by ``steps``, to steps."""
    if following.event is not None:
        yield StageStep(event=following.event)
    if following.finalizers is not None:
        yield StageStep(finalizers=following.finalizers)
    if following.patches:
        for patch in following.patches:
            yield StageStep(patch=patch)
    elif following.statusTemplate:
        yield StageStep(
            patch=StagePatch(
                subresource=following.statusSubresource,
                root="status",
                template=following.statusTemplate,
                impersonation=following.statusPatchAs,
            )
        )
    if following.delete:
        yield StageStep(delete=True)


def _actions(step: StageStep, languages: StageLanguages) -> Sequence[Action]:
    """Return the actions of a Stage's step, in the order in which KWOK performs them.

    Raises ValueError if a patch has an unknown type, if a template is malformed, or if `languages` do not allow the
    impersonation in ``apply``.
    """
    actions: list[Action] = []
    if step.event is not None:
        actions.append(SendEvent(step.event.type, step.event.reason, step.event.message))
    if (change := step.finalizers) is not None:
        add, remove = ([item.value for item in items] for items in (change.add, change.remove))
        actions.append(ChangeFinalizers(add, remove, change.empty))
    if step.delete:
        return [*actions, DeleteObject()]
    functions = languages.functions
    if (patch := step.patch) is not None:
        if patch.type not in _PATCH_TYPES:
            raise ValueError(f"unknown patch type {patch.type}")
        template, user = _template(patch.template, functions), _user(patch.impersonation)
        actions.append(PatchObject(patch.type, patch.root, patch.subresource, template, user))
    if (apply := step.apply) is not None:
        if apply.type not in _APPLY_TYPES:
            raise ValueError(f"unknown apply type {apply.type}")
        user = _user(apply.impersonation)
        if user and not languages.impersonates_to_apply:
            # KWOK accepts the impersonation but ignores it. Refuse the Stage, so that its author notices this.
            raise ValueError("impersonation in apply is not supported for Pods and Nodes")
        actions.append(ApplyObject(apply.type, apply.subresource, _template(apply.template, functions), user))
    return actions


def _user(impersonation: Impersonation | None) -> str:
    return "" if impersonation is None else impersonation.username


def _template(text: str, functions: Functions) -> Template:
    try:
        return Template(text.strip(), functions)
    except ValueError as error:
        raise ValueError(f"template: {error}") from None
