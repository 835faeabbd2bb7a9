"""Fields that strict decoding complains about: unknown and duplicate ones.

Source: sigs.k8s.io/json (kubernetes_patch.go).
"""

from typing import Final

from memkube.apimachinery.shown_values import quoted

_LIMIT: Final = 100


class StrictErrors:
    """The complaints about one document in the order of its text, each one once and no more than a hundred."""

    def __init__(self) -> None:
        self._messages: dict[str, None] = {}

    def unknown(self, path: str) -> None:
        """The document has a field that its type has not."""
        self._add(f"unknown field {quoted(path)}")

    def duplicate(self, path: str) -> None:
        """The document gives a field twice."""
        self._add(f"duplicate field {quoted(path)}")

    def messages(self) -> list[str]:
        """The complaints as the reference words them."""
        return list(self._messages)

    def _add(self, message: str) -> None:
        if len(self._messages) < _LIMIT:
            self._messages.setdefault(message)
