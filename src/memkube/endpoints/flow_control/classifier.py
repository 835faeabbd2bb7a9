"""Selection of the FlowSchema of a request."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from memkube.endpoints.flow_control.classification import FlowClass, FlowSchema, PriorityLevel, in_order
from memkube.registry.declarations.authorization import Attributes
from memkube.registry.declarations.request_options import User
from memkube.registry.objects.stored import StoredObject

_CATCH_ALL: Final = "catch-all"
_MOST_USERS: Final = 1024


class FlowClassifier:
    """Finds the FlowSchema and the priority level of each request."""

    def __init__(self) -> None:
        self._all: Sequence[FlowSchema] = ()
        self._of_users: dict[tuple[str, tuple[str, ...]], Sequence[FlowSchema]] = {}
        """The FlowSchemas with a rule for a user, in their order, by name and groups of the user."""
        self._fallback: FlowClass | None = None
        self.received: Counter[str] = Counter()
        """Number of requests of each priority level since the start of the server."""
        self.levels: Mapping[str, PriorityLevel] = {}
        """All priority levels by name."""

    def use(self, schemas: Iterable[StoredObject], levels: Iterable[StoredObject]) -> None:
        """Replace the FlowSchemas and PriorityLevelConfigurations by which requests are classified."""
        self.levels = {level.name: PriorityLevel.of(level.document) for level in levels}
        # As in kube-apiserver, no request matches a FlowSchema whose priority level does not exist.
        self._all = [
            FlowSchema.of(document, level)
            for document in in_order([schema.document for schema in schemas])
            if (level := self.levels.get(document["spec"]["priorityLevelConfiguration"]["name"])) is not None
        ]
        self._of_users.clear()
        classes = (schema.flow_class for schema in self._all)
        self._fallback = next((one for one in classes if one.schema == _CATCH_ALL), None)

    def classify(self, request: Attributes) -> FlowClass | None:
        """Return the FlowSchema and the priority level of a request: those of the first FlowSchema that matches it.

        If none matches, return those of the FlowSchema ``catch-all``, or None if that does not exist.
        """
        for schema in self._for_user(request.user):
            if schema.matches(request):
                return schema.flow_class
        return self._fallback

    def _for_user(self, user: User) -> Sequence[FlowSchema]:
        key = user.name, user.groups
        found = self._of_users.get(key)
        if found is None:
            if len(self._of_users) >= _MOST_USERS:
                self._of_users.clear()
            found = [schema for one in self._all if (schema := one.for_user(user)) is not None]
            self._of_users[key] = found
        return found
