"""Waiting until an object meets a condition."""

import time
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from memkube.control.object_conditions import Holds, conditions_of, parse_condition
from memkube.errors import UsageError, WaitTimeout

Document: TypeAlias = dict[str, Any]
Condition: TypeAlias = str | Callable[[Document], object]
"""A condition of ``kubectl wait --for``, or a function that is called with each state of the object.

The text is ``create``, ``delete``, ``condition=TYPE[=STATUS]`` or ``jsonpath={PATH}[=VALUE]``.
"""

_LONGEST_SUMMARY: Final = 400


class Waiting:
    """A wait until one object meets a condition.

    The object's state is a document, or None while the object does not exist. Raises UsageError for an unknown
    condition.
    """

    def __init__(self, what: str, condition: Condition, seconds: float, hint: str = "") -> None:
        self._what = what
        self._condition = condition
        self._seconds = seconds
        self._hint = hint
        self._until = time.monotonic() + seconds
        self._last: Document | None = None
        self._seen = False
        self._holds = holds_of(condition)

    @property
    def left(self) -> float:
        """Number of seconds of real time until the wait times out. Raises WaitTimeout if that time has passed."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise WaitTimeout(self._complaint())
        return left

    def is_met_by(self, state: Document | None) -> bool:
        """Return True if this state of the object meets the awaited condition."""
        if state is not None:
            self._last, self._seen = state, True
        elif self._seen:
            self._last = None
        return self._holds(state)

    def _complaint(self) -> str:
        wanted = self._condition if isinstance(self._condition, str) else "the condition"
        if self._last is not None:
            last = (
                f"last seen at resourceVersion {self._last['metadata'].get('resourceVersion')}: {summary(self._last)}"
            )
        else:
            last = "it was deleted" if self._seen else "there is no such object"
        return f"{self._what}: {wanted} was not met within {self._seconds:g} s; {last}{self._hint}"


def summary(document: Document) -> str:
    """Return an object's status and its conditions in one line."""
    facts = []
    status = document.get("status")
    for key, value in (status if isinstance(status, dict) else {}).items():
        if isinstance(value, str | int | float | bool):
            facts.append(f"{key} {value}")
    for condition in conditions_of(document):
        why = ": ".join(filter(None, (condition.get("reason"), condition.get("message"))))
        facts.append(f"{condition.get('type')}={condition.get('status')}" + (f" ({why})" if why else ""))
    if not facts:
        facts = [f"no status, and fields {', '.join(key for key in document if key not in ('apiVersion', 'kind'))}"]
    text = ", ".join(facts)
    return text if len(text) <= _LONGEST_SUMMARY else f"{text[:_LONGEST_SUMMARY]}…"


def holds_of(condition: Condition) -> Holds:
    """Return a function that returns True if an object meets the condition.

    Raises UsageError for an unknown condition.
    """
    if isinstance(condition, str):
        try:
            return parse_condition(condition)
        except ValueError as error:
            raise UsageError(str(error)) from None
    return lambda state: state is not None and bool(condition(state))
