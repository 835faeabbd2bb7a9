"""A condition about the rights of a service account, as the server's authorizer decides them."""

from pydantic import Field

from memkube.apimachinery.strict_model import StrictModel
from memkube.cluster.synchronous import Memkube, running_of
from memkube.registry.declarations.authorization import Attributes
from memkube.registry.declarations.request_options import User


class Right(StrictModel):
    """A verb on a resource in one or all namespaces, which a service account must have, or must not have."""

    verb: str
    resource: str
    group: str = ""
    namespace: str = Field(description="Namespace in which the right holds; empty for all namespaces.")

    def __str__(self) -> str:
        return f"{self.verb} {self.resource} in {self.namespace or 'all namespaces'}"


class ServiceAccountAccess(StrictModel):
    """A condition: a service account has the rights in `allowed`, and has none of those in `denied`."""

    name: str
    namespace: str
    allowed: list[Right]
    denied: list[Right]

    def failure(self, kube: Memkube) -> str:
        """Return a message about the first right that the account wrongly lacks or has; empty if there is none."""
        for rights, wanted in ((self.allowed, True), (self.denied, False)):
            for right in rights:
                if self._may(kube, right) is not wanted:
                    return f"service account {self.name} {'may not' if wanted else 'may'} {right}"
        return ""

    def _may(self, kube: Memkube, right: Right) -> bool:
        running = running_of(kube)
        accounts = "system:serviceaccounts"
        groups = (accounts, f"{accounts}:{self.namespace}", "system:authenticated")
        user = User(f"system:serviceaccount:{self.namespace}:{self.name}", groups=groups)
        asked = Attributes(user, right.verb, right.namespace, right.group, "v1", right.resource)
        authorizer = running.server.registry.kind_services.authorizer
        return running.server.answer(authorizer.decide(asked)).allowed
