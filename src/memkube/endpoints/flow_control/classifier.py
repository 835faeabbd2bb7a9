"""Selection of the FlowSchema of a request."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.endpoints.flow_control.classification import FlowClass, FlowSchema, PriorityLevel, in_order
from memkube.registry.declarations.authorization import Attributes
from memkube.registry.declarations.priority_levels import limits_of
from memkube.registry.declarations.request_options import User
from memkube.registry.objects.stored import StoredObject

_EXEMPT: Final = "exempt"
_CATCH_ALL: Final = "catch-all"
_MOST_USERS: Final = 1024


class MandatoryFlows(NamedTuple):
    """The specs of the mandatory FlowSchemas and PriorityLevelConfigurations by name, which count if none is stored."""

    schemas: Mapping[str, Document] = {}
    levels: Mapping[str, Document] = {}


_NO_FLOWS: Final = MandatoryFlows()


class FlowClassifier:
    """Finds the FlowSchema and the priority level of each request."""

    def __init__(self, mandatory: MandatoryFlows = _NO_FLOWS) -> None:
        self._mandatory = mandatory
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
        stored = {level.name: level.document for level in levels if limits_of(level.document) is not None}
        # As in kube-apiserver, a mandatory priority level that is not stored any more stays as it was.
        kept = {
            name: self.levels.get(name) or PriorityLevel.of(_imagined(name, spec))
            for name, spec in self._mandatory.levels.items()
        }
        self.levels = kept | {name: PriorityLevel.of(document) for name, document in stored.items()}
        # As in kube-apiserver, no request matches a FlowSchema whose priority level does not exist.
        self._all = self._with_mandatory(
            [
                FlowSchema.of(document, self.levels[level])
                for document in in_order([schema.document for schema in schemas])
                if (level := document["spec"]["priorityLevelConfiguration"]["name"]) in stored
            ]
        )
        self._of_users.clear()
        classes = (schema.flow_class for schema in self._all)
        self._fallback = next((one for one in classes if one.schema == _CATCH_ALL), None)

    def classify(self, request: Attributes) -> FlowClass | None:
        """Return the first FlowSchema that matches a request, and its priority level.

        If none matches, return the FlowSchema ``catch-all`` and its priority level; None if ``catch-all`` does not
        exist.
        """
        for schema in self._for_user(request.user):
            if schema.matches(request):
                return schema.flow_class
        return self._fallback

    def _with_mandatory(self, schemas: Sequence[FlowSchema]) -> Sequence[FlowSchema]:
        """Add the mandatory FlowSchemas that are missing: ``exempt`` at the start, ``catch-all`` at the end."""
        known = {schema.flow_class.schema for schema in schemas}
        missing = {
            name: FlowSchema.of(_imagined(name, spec), self.levels[spec["priorityLevelConfiguration"]["name"]])
            for name, spec in self._mandatory.schemas.items()
            if name not in known
        }
        first, last = ([missing[name]] if name in missing else [] for name in (_EXEMPT, _CATCH_ALL))
        return [*first, *schemas, *last]

    def _for_user(self, user: User) -> Sequence[FlowSchema]:
        key = user.name, user.groups
        found = self._of_users.get(key)
        if found is None:
            if len(self._of_users) >= _MOST_USERS:
                self._of_users.clear()
            found = [schema for one in self._all if (schema := one.for_user(user)) is not None]
            self._of_users[key] = found
        return found


def _imagined(name: str, spec: Document) -> Document:
    """Return a FlowSchema or PriorityLevelConfiguration that is not stored, and therefore has no UID."""
    return {"metadata": {"name": name, "uid": ""}, "spec": spec}
