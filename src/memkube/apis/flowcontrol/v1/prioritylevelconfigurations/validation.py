"""Validation of the types, shares and queues of priority levels (``pkg/apis/flowcontrol/validation``)."""

from math import ceil, log2
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    invalid_typed,
    not_supported,
    required,
)
from memkube.apis.flowcontrol.v1.prioritylevelconfigurations.types import (
    ExemptPriorityLevelConfiguration,
    LimitedPriorityLevelConfiguration,
    LimitResponse,
    PriorityLevelConfigurationSpec,
    QueuingConfiguration,
)

_TYPES: Final = ("Exempt", "Limited")
_RESPONSES: Final = ("Queue", "Reject")
_MOST_QUEUES: Final = 10_000_000
_HASH_BITS: Final = 60
"""Maximum number of bits of a flow's hash that choosing its queues may consume (``util/shufflesharding``)."""


def validate_spec(name: str, spec: PriorityLevelConfigurationSpec, path: FieldPath) -> list[FieldError]:
    """Validate the spec of a PriorityLevelConfiguration.

    The type must be Exempt if and only if `name` is ``exempt``.
    """
    errors: list[FieldError] = []
    if (name == "exempt") != (spec.type == "Exempt"):
        errors.append(
            invalid_typed(path.child("type"), spec.type, "must be 'Exempt' if and only if `name` is 'exempt'")
        )
    if spec.type == "Exempt":
        if spec.limited is not None:
            errors.append(forbidden(path.child("limited"), "must be nil if the type is not Limited"))
        if spec.exempt is not None:
            errors += _exempt(spec.exempt, path.child("exempt"))
    elif spec.type == "Limited":
        if spec.exempt is not None:
            errors.append(forbidden(path.child("exempt"), "must be nil if the type is Limited"))
        if spec.limited is None:
            errors.append(required(path.child("limited"), "must not be empty when type is Limited"))
        else:
            errors += _limited(spec.limited, path.child("limited"))
    else:
        errors.append(not_supported(path.child("type"), spec.type, _TYPES))
    return errors


def _shares(shares: int | None, path: FieldPath) -> list[FieldError]:
    return [invalid(path, shares, "must be a non-negative integer")] if shares is not None and shares < 0 else []


def _percent(percent: int | None, path: FieldPath) -> list[FieldError]:
    if percent is None or 0 <= percent <= 100:
        return []
    return [invalid(path, percent, "must be between 0 and 100, inclusive")]


def _exempt(exempt: ExemptPriorityLevelConfiguration, path: FieldPath) -> list[FieldError]:
    errors = _shares(exempt.nominalConcurrencyShares, path.child("nominalConcurrencyShares"))
    return errors + _percent(exempt.lendablePercent, path.child("lendablePercent"))


def _limited(limited: LimitedPriorityLevelConfiguration, path: FieldPath) -> list[FieldError]:
    errors = _shares(limited.nominalConcurrencyShares, path.child("nominalConcurrencyShares"))
    errors += _response(limited.limitResponse, path.child("limitResponse"))
    errors += _percent(limited.lendablePercent, path.child("lendablePercent"))
    borrowing = limited.borrowingLimitPercent
    if borrowing is not None and borrowing < 0:
        detail = "if specified, must be a non-negative integer"
        errors.append(invalid(path.child("borrowingLimitPercent"), borrowing, detail))
    return errors


def _response(response: LimitResponse, path: FieldPath) -> list[FieldError]:
    queuing = path.child("queuing")
    if response.type not in _RESPONSES:
        return [not_supported(path.child("type"), response.type, _RESPONSES)]
    if response.type == "Reject":
        detail = "must be nil if limited.limitResponse.type is not Limited"
        return [] if response.queuing is None else [forbidden(queuing, detail)]
    if response.queuing is None:
        return [required(queuing, "must not be empty if limited.limitResponse.type is Limited")]
    return _queuing(response.queuing, queuing)


def _queuing(queuing: QueuingConfiguration, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    queues, hand = queuing.queues, queuing.handSize
    if queuing.queueLengthLimit <= 0:
        errors.append(invalid(path.child("queueLengthLimit"), queuing.queueLengthLimit, "must be positive"))
    if queues <= 0:
        errors.append(invalid(path.child("queues"), queues, "must be positive"))
    elif queues > _MOST_QUEUES:
        errors.append(invalid(path.child("queues"), queues, f"must not be greater than {_MOST_QUEUES}"))
    if hand <= 0:
        errors.append(invalid(path.child("handSize"), hand, "must be positive"))
    elif hand > queues:
        errors.append(invalid(path.child("handSize"), hand, f"should not be greater than queues ({queues})"))
    elif ceil(log2(queues) * hand) > _HASH_BITS:
        detail = (
            f"required entropy bits of deckSize {queues} and handSize {hand} should not be greater than {_HASH_BITS}"
        )
        errors.append(invalid(path.child("handSize"), hand, detail))
    return errors
