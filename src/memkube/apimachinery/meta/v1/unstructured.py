"""Objects of kinds that have no model: metadata as everywhere, and whatever else they hold as JSON data."""

from typing import Any

from pydantic import ConfigDict

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document


class Unstructured(ApiObject):
    """An object of any kind (apimachinery's ``unstructured.Unstructured``).

    Its content is shared with the document that it was made from: a field is set to another value, never changed
    in place.
    """

    model_config = ConfigDict(extra="allow")

    @property
    def content(self) -> Document:
        """The fields besides kind, apiVersion and metadata."""
        content = self.__pydantic_extra__
        assert content is not None
        return content

    def set_field(self, name: str, value: Any) -> None:
        """Gives a field another value."""
        self.content[name] = value

    def take_field(self, name: str, source: Document) -> None:
        """Gives a field the value that it has in `source`; takes it away where it is not there."""
        if name in source:
            self.content[name] = source[name]
        else:
            self.content.pop(name, None)

    def to_document(self) -> Document:
        """This object as JSON data; its content is shared with it."""
        return {**super().to_document(), **self.content}
