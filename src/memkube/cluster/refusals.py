"""Text for reports of failed tests: requests that the server refused, and RBAC rules that would have allowed them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from memkube.auth.audit.audit import Audit
from memkube.auth.audit.text import missing_rules
from memkube.telemetry.request_query import LoggedRequest

_MOST: Final = 20


def shown_refusals(requests: Sequence[LoggedRequest], audit: Audit) -> Iterator[str]:
    """Yield lines of text: the messages of the refused `requests`, then the RBAC rules that would have allowed them.

    `audit` has these rules, for each user.
    """
    times = Counter(request.message for request in requests)
    for message, count in list(times.items())[:_MOST]:
        yield message + (f" ({count} times)" if count > 1 else "")
    if len(times) > _MOST:
        yield f"... {len(times) - _MOST} more"
    yield from missing_rules(audit.users)
