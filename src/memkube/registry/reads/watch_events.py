"""Watch events, and the exceptions that end a watch."""

from typing import Final, Literal, NamedTuple, TypeAlias

from memkube.registry.objects.stored import StoredObject

WatchEventType: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]
INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"
"""Annotation of the bookmark that follows the initial events."""
WATCH_EXPIRED: Final = "The resourceVersion for the provided watch is too old."
"""Message of the 410 error of a watch if kube-apiserver has no watch cache for the kind."""


class WatchEnded(Exception):
    """Raised if the watch ended because the server stops or the resource is no longer served."""


class WatchClosed(WatchEnded):
    """Raised if an injected fault ends the watch like a timeout. The client may resume from the last revision."""


class WatchEvent(NamedTuple):
    """A change of an object as sent to one watcher."""

    type: WatchEventType
    object: StoredObject
