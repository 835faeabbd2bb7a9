"""One test for hundreds of rows, for tables of which reporting each row as a test would take longer than the checks."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def for_each(rows: Iterable[T], name: Callable[[T], str]) -> Callable[[Callable[[T], None]], Callable[[], None]]:
    """Return a decorator that makes a test of a check of one row.

    The test checks all rows and names those that fail, each with its error. It fails if there are no rows.
    """
    named = [(name(row), row) for row in rows]

    def test_of(check: Callable[[T], None]) -> Callable[[], None]:
        def test() -> None:
            wrong = [f"{row_name}: {why}" for row_name, row in named if (why := _fault(check, row))]
            assert not wrong, "\n".join(wrong)
            assert named

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return test_of


def _fault(check: Callable[[T], None], row: T) -> str:
    try:
        check(row)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
