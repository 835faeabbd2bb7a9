"""Answers that refuse: one exception tree, rendered as Status bodies by the endpoints.

::

    ApiError
    └── everything made by the functions below; ``reason`` tells them apart

Sources: the API conventions ("Response Status Kind") and apimachinery's ``api/errors``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memkube.apimachinery.field_errors import FieldError, aggregate_message


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason behind a refusal: machine-readable reason, prose, and the field it is about."""

    reason: str = ""
    message: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class Details:
    """What a refusal is about."""

    name: str = ""
    group: str = ""
    kind: str = ""
    uid: str = ""
    causes: tuple[Cause, ...] = ()
    retry_after_seconds: int = 0


@dataclass
class ApiError(Exception):
    """A refusal with everything that its Status shows. ``reason`` may be empty, as in the reference."""

    code: int
    reason: str
    message: str
    details: Details | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message


def invalid(group: str, kind: str, name: str, errors: Sequence[FieldError]) -> ApiError:
    """422: the object breaks these rules, named one by one as causes."""
    causes = tuple(Cause(e.type, e.body, e.field) for e in errors)
    prefix = f"{kind}.{group}" if group else kind
    message = f'{prefix} "{name}" is invalid: {aggregate_message(errors)}' if errors else f'{prefix} "{name}" is invalid'
    return ApiError(422, "Invalid", message, Details(name=name, group=group, kind=kind, causes=causes))
