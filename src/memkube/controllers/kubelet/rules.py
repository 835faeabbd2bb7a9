"""Rules that say what the containers that they select do."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cached_property

from pydantic import Field, field_validator

from memkube.apimachinery import labels as label_selectors
from memkube.controllers.kubelet.behavior import ContainerBehavior


class ContainerRule(ContainerBehavior):
    """A behaviour for every container that meets all of the conditions that are set."""

    namespace: str = Field(default="", description="Namespace of the pod.")
    labelSelector: str = Field(default="", description="Selector of the pod's labels.")
    image: str = Field(default="", description="Image of the container; * and ? stand for any characters.")
    container: str = Field(default="", description="Name of the container.")

    @field_validator("labelSelector")
    @classmethod
    def _is_a_selector(cls, value: str) -> str:
        label_selectors.parse(value)
        return value

    def selects(self, namespace: str, labels: Mapping[str, str], container: str, image: str) -> bool:
        """Whether the rule is about a container."""
        return (
            self.namespace in ("", namespace)
            and self.container in ("", container)
            and (not self.image or fnmatchcase(image, self.image))
            and self._labels.matches(labels)
        )

    @cached_property
    def _labels(self) -> label_selectors.LabelSelector:
        return label_selectors.parse(self.labelSelector)


class ContainerRules:
    """The rules of a server by name. Of several that select a container the first one by name counts."""

    def __init__(self) -> None:
        self._rules: dict[str, ContainerRule] = {}

    def put(self, name: str, rule: ContainerRule) -> None:
        """Adds or replaces a rule; runs that have begun already go on as they began."""
        self._rules[name] = rule
        self._rules = dict(sorted(self._rules.items()))

    def get(self, name: str) -> ContainerRule:
        """A rule. Raises KeyError."""
        return self._rules[name]

    def delete(self, name: str) -> None:
        """Forgets a rule. Raises KeyError."""
        del self._rules[name]

    def items(self) -> list[tuple[str, ContainerRule]]:
        """All rules by name, in order."""
        return list(self._rules.items())

    def behavior(
        self, namespace: str, labels: Mapping[str, str], container: str, image: str
    ) -> ContainerBehavior | None:
        """What the rules say of a container, if they say anything."""
        for rule in self._rules.values():
            if rule.selects(namespace, labels, container, image):
                return rule
        return None
