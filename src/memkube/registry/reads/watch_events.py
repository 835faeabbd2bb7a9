"""The events that a client receives from a watch, and the exceptions that end a watch."""

from typing import Final, Literal, NamedTuple, TypeAlias

from memkube.registry.objects.stored import StoredObject

WatchEventType: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]
INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"
"""Annotation of the bookmark that follows the initial events of a watch."""
WATCH_EXPIRED: Final = "The resourceVersion for the provided watch is too old."
"""Message of the 410 error of a watch, for kinds without a watch cache in kube-apiserver."""


class WatchEnded(Exception):
    """Raised if a watch ends because the server stops or no longer serves the resource."""


class WatchClosed(WatchEnded):
    """Raised if an injected fault ends a watch as a timeout would.

    The client can resume the watch from the last revision that it received.
    """


class WatchEvent(NamedTuple):
    """An event of a watch: a change of an object, or a bookmark."""

    type: WatchEventType
    object: StoredObject
