"""What a node has to say about its pods, for events."""

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias


class PodReport(NamedTuple):
    """Something that happened to a pod or, where `field_path` is set, to one of its containers."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str
    field_path: str = ""
    """Such as ``spec.containers{web}``."""


Reporter: TypeAlias = Callable[[PodReport], None]
