"""The attributes of a request that fault rules match, and the stages at which effects apply."""

from enum import Enum, auto
from typing import NamedTuple


class Stage(Enum):
    """The stage of request handling at which a fault's effect is applied."""

    REQUEST = auto()
    """Before a request is handled; once per request."""
    READ = auto()
    """Before a GET or LIST that can be answered from an older revision; once per request."""
    WATCH = auto()
    """While a watch is open; applied once per watch, when the watch begins or when the fault is added."""
    EVENT = auto()
    """Before an event is sent; once per event of each watch."""
    BOOKMARK = auto()
    """Before a bookmark is sent; once per bookmark of each watch."""
    WEBHOOK = auto()
    """Before an admission webhook is called; once per call."""
    NODE = auto()
    """When a node writes a timestamp. Hits are not counted at this stage."""


class RequestAttributes(NamedTuple):
    """Verb, resource and client of a request (apiserver ``RequestInfo``)."""

    verb: str
    path: str = ""
    """Path of the URL for requests that are not for a resource; otherwise empty."""
    group: str = ""
    resource: str = ""
    """Plural, followed by a slash and the subresource if there is one; empty for requests that are not for a
    resource."""
    namespace: str = ""
    name: str = ""
    user: str = ""
    user_agent: str = ""
    is_controller: bool = False
    """True if a controller in this process makes the request. Its user agent is the controller's field manager."""

    is_spared: bool = False
    """True for requests with which the web page reads its data: no fault matches or counts them."""

    @property
    def qualified_resource(self) -> str:
        """Resource with its API group, such as ``deployments.apps/status``."""
        plural, slash, subresource = self.resource.partition("/")
        return f"{plural}.{self.group}{slash}{subresource}" if self.group else self.resource

    @property
    def client(self) -> tuple[str, str]:
        """User and user agent, which identify the client for stale reads."""
        return self.user, self.user_agent
