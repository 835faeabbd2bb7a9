"""The events of a watch, and the ways in which a watch ends."""

from typing import Final, Literal, NamedTuple, TypeAlias

from memkube.registry.objects.stored import StoredObject

WatchEventType: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]
INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"
"""Annotation of the bookmark after the initial events."""
WATCH_EXPIRED: Final = "The resourceVersion for the provided watch is too old."
"""Message of a 410 if the reference has no watch cache for the kind."""


class WatchEnded(Exception):
    """The server stops, or the resource is no longer served."""


class WatchClosed(WatchEnded):
    """An injected fault ends this watch as if its timeout had passed. A new watch may continue from its revision."""


class WatchEvent(NamedTuple):
    """A change of an object as one watcher sees it."""

    type: WatchEventType
    object: StoredObject
