"""Merging and comparing tolerations (``pkg/util/tolerations``)."""

from collections.abc import Sequence

from memkube.apis.core.v1.podspec.types.scheduling import Toleration


def merged_tolerations(first: Sequence[Toleration], second: Sequence[Toleration]) -> list[Toleration]:
    """Return the tolerations of both lists, without redundant ones.

    A toleration is redundant if another one in the lists tolerates the same taints and possibly more. Of equal
    tolerations, the first is kept.
    """
    everything = [*first, *second]
    merged: list[Toleration] = []
    for index, toleration in enumerate(everything):
        later = (other for other in everything[index + 1 :] if other != toleration)
        if not any(covers(other, toleration) for other in (*merged, *later)):
            merged.append(toleration)
    return merged


def covers(wide: Toleration, narrow: Toleration) -> bool:
    """True if the toleration `wide` tolerates every taint that `narrow` tolerates."""
    if wide == narrow:
        return True
    if narrow.key != wide.key and (wide.key or wide.operator != "Exists"):
        return False
    if wide.effect not in ("", narrow.effect):
        return False
    if wide.effect == "NoExecute" and wide.tolerationSeconds is not None:
        seconds = narrow.tolerationSeconds
        if seconds is None or seconds > wide.tolerationSeconds:
            return False
    if wide.operator in ("", "Equal"):
        return narrow.operator == "Equal" and narrow.value == wide.value
    return wide.operator == "Exists"
