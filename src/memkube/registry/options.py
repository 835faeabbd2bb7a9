"""What a read asks for."""

from dataclasses import dataclass, field

from memkube.apimachinery.fields import FieldSelector
from memkube.apimachinery.labels import LabelSelector


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects a list or watch is about. None selects everything."""

    labels: LabelSelector | None = None
    fields: FieldSelector | None = None


@dataclass(frozen=True, slots=True)
class ListOptions:
    """Options of a list, checked against each other already (metav1.ListOptions)."""

    selection: Selection = field(default_factory=Selection)
    limit: int = 0
    continue_token: str = ""
    resource_version: str = ""
    resource_version_match: str = ""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """Options of a watch (metav1.ListOptions)."""

    selection: Selection = field(default_factory=Selection)
    resource_version: str = ""
    bookmarks: bool = False
    send_initial_events: bool | None = None
    timeout_seconds: float | None = None
