"""What a service account may do, as the server's authorizer decides it."""

from pydantic import Field

from memkube.apimachinery.strict_model import StrictModel
from memkube.cluster.synchronous import Memkube
from memkube.registry.declarations.authorization import Attributes
from memkube.registry.declarations.request_options import User


class Right(StrictModel):
    """A verb on a resource in a namespace."""

    verb: str
    resource: str
    group: str = ""
    namespace: str = Field(description="Namespace; empty for all namespaces.")

    def __str__(self) -> str:
        return f"{self.verb} {self.resource} in {self.namespace or 'all namespaces'}"


class ServiceAccountAccess(StrictModel):
    """A service account may do some things, and may not do others."""

    name: str
    namespace: str
    allowed: list[Right]
    denied: list[Right]

    def failure(self, kube: Memkube) -> str:
        """Return which right is missing or superfluous, or an empty string."""
        for rights, wanted in ((self.allowed, True), (self.denied, False)):
            for right in rights:
                if self._may(kube, right) is not wanted:
                    return f"service account {self.name} {'may not' if wanted else 'may'} {right}"
        return ""

    def _may(self, kube: Memkube, right: Right) -> bool:
        running = kube._running
        accounts = "system:serviceaccounts"
        groups = (accounts, f"{accounts}:{self.namespace}", "system:authenticated")
        user = User(f"system:serviceaccount:{self.namespace}:{self.name}", groups=groups)
        asked = Attributes(user, right.verb, right.namespace, right.group, "v1", right.resource)
        authorizer = running.server.registry.kind_services.authorizer
        return running.server.answer(authorizer.decide(asked)).allowed
