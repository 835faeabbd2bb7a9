"""The attributes of a request that fault rules match."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestAttributes:
    """The verb, the resource and the client of a request (the reference's RequestInfo)."""

    verb: str
    path: str = ""
    """Path of the URL, for requests without a resource."""
    group: str = ""
    resource: str = ""
    """The plural, followed by a slash and the subresource if there is one; "" for requests without a resource."""
    namespace: str = ""
    name: str = ""
    user: str = ""
    user_agent: str = ""
    is_controller: bool = False
    """True if a controller of this server makes the request; its user agent is the controller's field manager."""

    @property
    def qualified_resource(self) -> str:
        """The resource with its group, such as ``deployments.apps/status``."""
        plural, slash, subresource = self.resource.partition("/")
        return f"{plural}.{self.group}{slash}{subresource}" if self.group else self.resource

    @property
    def client(self) -> tuple[str, str]:
        """The user and the user agent, by which a fault remembers what it has shown to each client."""
        return self.user, self.user_agent
