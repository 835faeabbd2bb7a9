"""Rules that configure the behaviour of simulated containers."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from memkube.apimachinery.model import Document

if TYPE_CHECKING:
    # Imported for types only: importing the models of rules is slow, so it happens with the first rule or pod.
    from memkube.controllers.kubelet.containers.behavior import ContainerBehavior, ContainerRule


class ContainerRules:
    """The rules of a server for container behaviour. If several select a container, the first by name applies."""

    def __init__(self) -> None:
        self._rules: dict[str, ContainerRule] = {}
        self._listeners: list[Callable[[ContainerRule], None]] = []

    def subscribe(self, listener: "Callable[[ContainerRule], None]") -> None:
        """Call `listener` with each rule for container behaviour that is added, replaced or deleted after this call.

        For a replacement, it is called twice: with the old rule and with the new one.
        """
        self._listeners.append(listener)

    def close(self) -> None:
        """Remove the listeners, to release their references to controllers."""
        self._listeners.clear()

    def put(self, name: str, rule: "ContainerRule") -> None:
        """Add a rule for container behaviour, or replace the rule with this name.

        Running containers whose command is not simulated get the new behaviour at once, others at their next start.
        """
        replaced = self._rules.get(name)
        self._rules[name] = rule
        self._rules = dict(sorted(self._rules.items()))
        for changed in (rule,) if replaced is None else (replaced, rule):
            self._tell(changed)

    def take(self, name: str, saved: Document | None) -> None:
        """Add a rule for container behaviour from saved state, or delete the rule if `saved` is None.

        Raises ValueError for malformed data.
        """
        if saved is None:
            self._tell(self._rules.pop(name))
        else:
            from memkube.controllers.kubelet.containers.behavior import ContainerRule  # noqa: PLC0415  imported with the first rule

            self.put(name, ContainerRule.model_validate(saved))

    def _tell(self, changed: "ContainerRule") -> None:
        for listener in self._listeners:
            listener(changed)

    def get(self, name: str) -> "ContainerRule":
        """Return the rule for container behaviour with this name. Raises KeyError if it does not exist."""
        return self._rules[name]

    def items(self) -> list[tuple[str, "ContainerRule"]]:
        """Return all rules for container behaviour with their names, in the order of the names."""
        return list(self._rules.items())

    def behavior(
        self, namespace: str, labels: Mapping[str, str], container: str, image: str
    ) -> "ContainerBehavior | None":
        """Return the behaviour that a rule configures for a container, or None if no rule selects the container."""
        for rule in self._rules.values():
            if rule.selects(namespace, labels, container, image):
                return rule
        return None
