"""What a program waits for, and what it is told when that does not come."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from memkube.errors import WaitTimeout

Document: TypeAlias = dict[str, Any]
Condition: TypeAlias = str | Callable[[Document], object]
"""``create``, ``delete``, ``condition=TYPE`` or ``condition=TYPE=STATUS``, as for kubectl; or what decides."""

_LONGEST_SUMMARY: Final = 400
_WORDS: Final = ("create", "delete")


class Waiting:
    """Waits for a condition on one object. States are documents, None while there is no object.

    Raises ValueError for a condition that there is not.
    """

    def __init__(self, what: str, condition: Condition, seconds: float, hint: str = "") -> None:
        self._what = what
        self._condition = condition
        self._seconds = seconds
        self._hint = hint
        self._until = time.monotonic() + seconds
        self._last: Document | None = None
        self._seen = False
        self._type, self._status = _condition_of(condition) if isinstance(condition, str) else ("", "")

    @property
    def left(self) -> float:
        """How many seconds are left on the wall. Raises WaitTimeout where there are none."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise WaitTimeout(self._complaint())
        return left

    def is_met_by(self, state: Document | None) -> bool:
        """Whether this state ends the wait."""
        if state is not None:
            self._last, self._seen = state, True
        elif self._seen:
            self._last = None
        if self._condition == "delete":
            return state is None
        if state is None:
            return False
        if self._condition == "create":
            return True
        if callable(self._condition):
            return bool(self._condition(state))
        found = next((c for c in conditions_of(state) if c.get("type", "").lower() == self._type.lower()), None)
        return found is not None and str(found.get("status", "")).lower() == self._status.lower()

    def _complaint(self) -> str:
        wanted = self._condition if isinstance(self._condition, str) else "what was waited for"
        if self._last is not None:
            last = (
                f"last seen at resourceVersion {self._last['metadata'].get('resourceVersion')}: {summary(self._last)}"
            )
        else:
            last = "it was deleted" if self._seen else "there is no such object"
        return f"{self._what}: {wanted} has not come within {self._seconds:g} s; {last}{self._hint}"


def conditions_of(document: Document) -> list[Mapping[str, Any]]:
    """An object's conditions."""
    status = document.get("status")
    found = status.get("conditions") if isinstance(status, dict) else None
    return [condition for condition in found or () if isinstance(condition, dict)]


def summary(document: Document) -> str:
    """What an object says of its state, in one line."""
    told = []
    status = document.get("status")
    for key, value in (status if isinstance(status, dict) else {}).items():
        if isinstance(value, str | int | float | bool):
            told.append(f"{key} {value}")
    for condition in conditions_of(document):
        why = ": ".join(filter(None, (condition.get("reason"), condition.get("message"))))
        told.append(f"{condition.get('type')}={condition.get('status')}" + (f" ({why})" if why else ""))
    if not told:
        told = [f"no status, and fields {', '.join(key for key in document if key not in ('apiVersion', 'kind'))}"]
    text = ", ".join(told)
    return text if len(text) <= _LONGEST_SUMMARY else f"{text[:_LONGEST_SUMMARY]}…"


def _condition_of(text: str) -> tuple[str, str]:
    if text in _WORDS:
        return "", ""
    word, _, rest = text.partition("=")
    if word != "condition" or not rest:
        raise ValueError(f"no such condition: {text!r}; create, delete, condition=TYPE, condition=TYPE=STATUS")
    kind, _, status = rest.partition("=")
    return kind, status or "True"
