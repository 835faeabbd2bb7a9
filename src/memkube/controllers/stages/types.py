"""Fields of Stage objects (KWOK's ``pkg/apis/v1alpha1/stage_types.go``)."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict


class StageModel(BaseModel):
    """Base class of the models of a Stage's fields. Values of a wrong type are refused, unknown fields ignored."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class CelExpression(StageModel):
    """A CEL expression, as in the field ``cel`` of a Stage."""

    expression: str = ""


class JqExpression(StageModel):
    """A jq expression, as in the field ``jq`` of a Stage."""

    expression: str = ""


class ExpressionFrom(StageModel):
    """An expression that computes a value, in one of three fields. KWOK has replaced `expressionFrom` by `jq`."""

    cel: CelExpression | None = None
    jq: JqExpression | None = None
    expressionFrom: str = ""


class SelectorJq(StageModel):
    """A requirement on the results of a jq expression for an object."""

    key: str = ""
    operator: str = ""
    values: Sequence[str] = ()


class MatchExpression(StageModel):
    """A requirement on an object: a CEL expression, a jq query, or the older fields `key`, `operator` and `values`."""

    cel: CelExpression | None = None
    jq: SelectorJq | None = None
    key: str = ""
    operator: str = ""
    values: Sequence[str] = ()


class StageSelector(StageModel):
    """Requirements on the objects to which a Stage applies."""

    matchLabels: Mapping[str, str] = {}
    matchAnnotations: Mapping[str, str] = {}
    matchExpressions: Sequence[MatchExpression] = ()


class StageDelay(StageModel):
    """Delay before a Stage is executed: a duration or, if a jitter is set, a random time between these two."""

    durationMilliseconds: int | None = None
    durationFrom: ExpressionFrom | None = None
    jitterDurationMilliseconds: int | None = None
    jitterDurationFrom: ExpressionFrom | None = None


class Impersonation(StageModel):
    """User who is impersonated when an object is patched or applied."""

    username: str = ""


class StageEvent(StageModel):
    """Event about the object that the Stage is applied to. Types other than Normal and Warning are errors."""

    type: Literal["Normal", "Warning"]
    reason: str = ""
    message: str = ""


class FinalizerItem(StageModel):
    """Name of a finalizer to add or remove."""

    value: str = ""


class StageFinalizers(StageModel):
    """Changes of the finalizers of the object that the Stage is applied to."""

    add: Sequence[FinalizerItem] = ()
    remove: Sequence[FinalizerItem] = ()
    empty: bool = False


class StagePatch(StageModel):
    """Patch of the object that the Stage is applied to."""

    subresource: str = ""
    root: str = ""
    template: str = ""
    type: str = ""
    impersonation: Impersonation | None = None


class StageApply(StageModel):
    """Creation or patch of another object than the one that the Stage is applied to."""

    template: str = ""
    subresource: str = ""
    type: str = ""
    impersonation: Impersonation | None = None


class StageStep(StageModel):
    """A step of a Stage: patch or delete the object, change its finalizers, record an Event, apply another object."""

    patch: StagePatch | None = None
    event: StageEvent | None = None
    finalizers: StageFinalizers | None = None
    delete: bool = False
    apply: StageApply | None = None


class StageNext(StageModel):
    """The field ``next`` of a Stage, which KWOK has replaced by ``steps``."""

    event: StageEvent | None = None
    finalizers: StageFinalizers | None = None
    delete: bool = False
    patches: Sequence[StagePatch] = ()
    statusTemplate: str = ""
    statusSubresource: str = "status"
    statusPatchAs: Impersonation | None = None


class StageSpec(StageModel):
    """The specification of a Stage, apart from its ``resourceRef``."""

    selector: StageSelector | None = None
    weight: int = 0
    weightFrom: ExpressionFrom | None = None
    delay: StageDelay | None = None
    next: StageNext | None = None
    immediateNextStage: bool = False
    steps: Sequence[StageStep] = ()
