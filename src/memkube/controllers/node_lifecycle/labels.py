"""The old names of two labels follow their new ones."""

from typing import Final

_OLD_NAMES: Final = (
    ("kubernetes.io/os", "beta.kubernetes.io/os"),
    ("kubernetes.io/arch", "beta.kubernetes.io/arch"),
)


def missing_labels(labels: dict[str, str]) -> dict[str, str]:
    """The labels of a node that have to be set."""
    return {
        old: labels[new] for new, old in _OLD_NAMES if labels.get(new) is not None and labels.get(old) != labels[new]
    }
