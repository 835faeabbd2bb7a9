"""Matches requests with the constraints of policies and bindings (apiserver ``admission/plugin/policy/matching``)."""

from dataclasses import dataclass, field

from memkube.admission.matching import Match, Selectors, match_rules
from memkube.apimachinery.errors import ApiError
from memkube.apis.admissionregistration.v1.rules.types import MatchResources
from memkube.registry.declarations.admission import Attributes
from memkube.registry.registry import Registry


class Misconfigured(Exception):
    """Raised with kube-apiserver's message if a policy or binding cannot be evaluated for a request."""


@dataclass(slots=True)
class Constraints:
    """The ``matchConstraints`` of a policy, or the ``matchResources`` of a binding."""

    resources: MatchResources
    selectors: Selectors = field(init=False)

    def __post_init__(self) -> None:
        self.selectors = Selectors.of(self.resources.namespaceSelector, self.resources.objectSelector)

    async def match(self, attributes: Attributes, registry: Registry) -> Match | None:
        """Return the resource and kind that the constraints match; None if they do not match the request.

        Raises Misconfigured if the request's namespace does not exist.
        """
        problem = ""
        try:
            if not await self.selectors.match_namespace(attributes, registry):
                return None
        except ApiError as error:
            problem = error.message
        if not self.selectors.match_object(attributes):
            return None
        resources, catalog = self.resources, registry.catalog
        if match_rules(resources.excludeResourceRules, resources.matchPolicy, attributes, catalog) is not None:
            return None
        found: Match | None = Match(attributes.resource, attributes.kind)
        if resources.resourceRules:
            found = match_rules(resources.resourceRules, resources.matchPolicy, attributes, catalog)
        if found is not None and problem:
            raise Misconfigured(problem)
        return found
