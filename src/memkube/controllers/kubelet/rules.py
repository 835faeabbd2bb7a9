"""The rules that determine the behaviour of simulated containers."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from memkube.apimachinery.model import Document

if TYPE_CHECKING:
    # The models of rules are imported with the first rule or pod: defining them would slow the start of a server.
    from memkube.controllers.kubelet.behavior import ContainerBehavior, ContainerRule


class ContainerRules:
    """The rules of a server about container behaviour. The first rule by name that selects a container applies."""

    def __init__(self) -> None:
        self._rules: dict[str, ContainerRule] = {}
        self._listeners: list[Callable[[ContainerRule], None]] = []

    def subscribe(self, listener: "Callable[[ContainerRule], None]") -> None:
        """Call `listener` with each rule that is added or replaced from now on."""
        self._listeners.append(listener)

    def close(self) -> None:
        """Remove the listeners, to release their references to controllers."""
        self._listeners.clear()

    def put(self, name: str, rule: "ContainerRule") -> None:
        """Add or replace a rule.

        The rule applies at once to containers that run as servers, and to other containers when they next start.
        """
        self._rules[name] = rule
        self._rules = dict(sorted(self._rules.items()))
        for listener in self._listeners:
            listener(rule)

    def take(self, name: str, saved: Document | None) -> None:
        """Restore a saved rule, or delete it if `saved` is None. Raises ValueError for malformed data."""
        if saved is None:
            del self._rules[name]
        else:
            from memkube.controllers.kubelet.behavior import ContainerRule  # noqa: PLC0415  imported with the first rule

            self.put(name, ContainerRule.model_validate(saved))

    def get(self, name: str) -> "ContainerRule":
        """Return the rule with the given name. Raises KeyError if it does not exist."""
        return self._rules[name]

    def items(self) -> list[tuple[str, "ContainerRule"]]:
        """Return all rules with their names, sorted by name."""
        return list(self._rules.items())

    def behavior(
        self, namespace: str, labels: Mapping[str, str], container: str, image: str
    ) -> "ContainerBehavior | None":
        """Return the behaviour that a rule gives to a container, or None if no rule selects it."""
        for rule in self._rules.values():
            if rule.selects(namespace, labels, container, image):
                return rule
        return None
