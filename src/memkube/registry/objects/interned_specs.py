"""Specs that many objects have, such as the pods of one template, with what has been found out about them.

To fill in defaults, to check the rules and to tell who owns which field takes most of the time of a create, and comes
to the same for the same spec: what depends on the spec alone is remembered by what the spec says. A strategy opts in
(:attr:`~memkube.registry.declarations.strategy.Strategy.interns_spec`).
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, TypeVar, cast

import orjson
from pydantic import ValidationError

from memkube.apimachinery.decoding import Decoded
from memkube.apimachinery.decoding.decode import may_have_duplicates
from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.managed_fields import FieldSet, fields_of_new
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.schema import StructSchema

M = TypeVar("M", bound=ApiObject)
S = TypeVar("S", bound=ApiModel)
T = TypeVar("T")

ORIGIN: Final = "interned"
"""The slot of a spec that tells which interned one it was made from; it may have been changed since."""
MOST_BYTES: Final = 512 * 1024
"""How much JSON the interned specs of a resource are, all told; what is kept of one takes some ten times as much."""
_LONGEST: Final = 16 * 1024
_MOST_SEEN: Final = 4096


class InternedSpec:
    """A spec with its defaults. Neither its model nor its document ever changes."""

    __slots__ = ("_facts", "_spare", "admitted", "document", "fields", "model", "text")

    def __init__(self, model: ApiModel, document: Document, fields: FieldSet, text: bytes) -> None:
        self._facts: dict[Hashable, Any] = {}
        self._spare: ApiModel | None = None
        self.model = model
        self.document = document
        """What all objects with this spec are written with."""
        self.fields = fields
        """What of it belongs to whoever creates an object with it."""
        self.text = text
        """The JSON that it is known by."""
        object.__setattr__(model, ORIGIN, self)
        self.admitted: InternedSpec | None = None
        """What admission and the strategy made of it when it was last written."""

    def describes(self, spec: ApiModel) -> bool:
        """Whether a spec still says the same."""
        return self.model is spec or self.model == spec

    def lend(self) -> ApiModel | Document:
        """What a spec is made of that may be changed: one that was given back as it was lent, or the document."""
        spare, self._spare = self._spare, None
        return self.document if spare is None else spare

    def give_back(self, spec: ApiModel) -> None:
        """Takes one back that says the same, and that nobody has any more: to make another takes long."""
        self._spare = spec

    def fact(self, about: Hashable, find: Callable[[], T]) -> T:
        """What `find` comes to, which is asked once. It must depend on nothing but the spec and `about`."""
        facts = self._facts
        if about not in facts:
            facts[about] = find()
        return cast("T", facts[about])


def interned_spec_of(spec: ApiModel) -> InternedSpec | None:
    """What a spec was made from, if it was interned.

    That is what it says when it has been decoded, until admission may have changed it, and again when it has been
    prepared (:meth:`InternedSpecs.settled`): to strategies' defaults, rules and warnings.
    """
    return getattr(spec, ORIGIN, None)


def either(spec: S, old: S) -> S:
    """Of two specs that say the same the one that may be shared, where one may; the other is given up."""
    known = interned_spec_of(old)
    if known is None or known.model is not old:
        return spec
    if spec is not old and interned_spec_of(spec) is known:
        known.give_back(spec)
    return old


def document_of(obj: ApiObject, spec: InternedSpec | None) -> Document:
    """An object as JSON data, given what its spec is where that is known."""
    return obj.to_document() if spec is None else obj.to_document_around("spec", spec.document)


class InternedSpecs:
    """The specs of one resource that have been met more than once; those go first that nobody has met for longest."""

    def __init__(self, form: ModelForm[ApiObject], fill: Callable[[Any], None]) -> None:
        """`fill` sets the defaults of a spec."""
        self._model: type[ApiModel] = form.model.model_fields["spec"].annotation  # type: ignore[assignment]
        self._struct = form.struct
        self._fill = fill
        self._known: OrderedDict[bytes, InternedSpec] = OrderedDict()
        self._by_document: dict[int, InternedSpec] = {}
        self._size = 0
        self._seen: dict[int, bool] = {}
        """Of specs that are not known, by their hashes: whether they can be, once they are met again."""

    def __len__(self) -> int:
        return len(self._known)

    def holding(self, document: object) -> InternedSpec | None:
        """What is known of a spec as objects are written with it; nothing where it only says the same."""
        known = self._by_document.get(id(document))
        if known is None or known.document is not document:
            return None
        self._known.move_to_end(known.text)
        return known

    def find(self, data: object) -> InternedSpec | None:
        """What is known of a spec as a client wrote it; nothing, the first time."""
        if not isinstance(data, dict):
            return None
        try:
            text = orjson.dumps(data)
        except orjson.JSONEncodeError:
            return None
        if (known := self._found(text)) is not None or not self._met_again(text):
            return known
        try:
            model = self._model.model_validate(data)
        except ValidationError:
            self._seen[hash(text)] = False
            return None
        if _has_empty_values(model):
            # Messages tell them from those that nobody gave, and the document that is written has neither.
            self._seen[hash(text)] = False
            return None
        self._fill(model)
        return self._keep(text, model)

    def settled(self, obj: ApiObject) -> InternedSpec | None:
        """What an object's spec is by now; None where it was not made from an interned one."""
        spec: ApiModel = obj.spec  # type: ignore[attr-defined]
        origin = interned_spec_of(spec)
        if origin is None:
            return None
        # Admission hardly ever leaves a spec as it was, and mostly does the same to it.
        if origin.admitted is None or not origin.admitted.describes(spec):
            if origin.describes(spec):
                return origin
            text = orjson.dumps(spec.to_document())
            origin.admitted = self._found(text) or self._keep(text, spec)
        object.__setattr__(spec, ORIGIN, origin.admitted)
        return origin.admitted

    def _found(self, text: bytes) -> InternedSpec | None:
        known = self._known.get(text)
        if known is not None:
            self._known.move_to_end(text)
        return known

    def _met_again(self, text: bytes) -> bool:
        """Whether a spec has been met before, and may be known from now on."""
        fit = self._seen.get(hash(text))
        if fit is None:
            self._seen[hash(text)] = len(text) <= _LONGEST
            if len(self._seen) > _MOST_SEEN:
                del self._seen[next(iter(self._seen))]
        return bool(fit)

    def _keep(self, text: bytes, model: ApiModel) -> InternedSpec | None:
        own = self._model.model_validate(model.to_document())
        document = own.to_document()
        fields = fields_of_new(self._struct, {"spec": document})
        if own != model or fields is None:
            self._seen[hash(text)] = False
            return None
        known = self._known[text] = self._by_document[id(document)] = InternedSpec(own, document, fields, text)
        self._size += len(text)
        while self._size > MOST_BYTES:
            _, oldest = self._known.popitem(last=False)
            del self._by_document[id(oldest.document)]
            self._size -= len(oldest.text)
        return known


def _has_empty_values(value: object) -> bool:
    """Whether there is an empty list or map in a model that a client has given."""
    if isinstance(value, ApiModel):
        given = value.model_fields_set
        return any(
            _has_empty_values(item) or (isinstance(item, list | dict) and not item and name in given)
            for name, item in value.__dict__.items()
        )
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, list) and any(map(_has_empty_values, value))


class InterningForm(Generic[M]):
    """Decodes objects into what the resource's form does; those with a known spec get it with its defaults."""

    def __init__(self, form: ModelForm[M], specs: InternedSpecs) -> None:
        self._form = form
        self._specs = specs

    @property
    def struct(self) -> StructSchema:
        """See Form."""
        return self._form.struct

    def decode(self, data: Any, body: bytes | None = None) -> Decoded[M]:
        """See Form."""
        if body is not None and may_have_duplicates(body, data):
            return self._form.decode(data, body)
        return self._known(data) or self._form.decode(data, body)

    def convert(self, document: Document) -> Decoded[M]:
        """See Form."""
        return self._known(document) or self._form.convert(document)

    def _known(self, data: Any) -> Decoded[M] | None:
        if not isinstance(data, dict):
            return None
        spec = data.get("spec")
        known = self._specs.holding(spec) or self._specs.find(spec)
        if known is None:
            return None
        try:
            obj = self._form.model.model_validate({**data, "spec": known.lend()})
        except ValidationError:
            return None
        object.__setattr__(obj.spec, ORIGIN, known)  # type: ignore[attr-defined]
        return Decoded(obj)
