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
        """Gives a field another value; None takes the field away."""
        if value is None:
            self.content.pop(name, None)
        else:
            self.content[name] = value

    def to_document(self) -> Document:
        """This object as JSON data; its content is shared with it."""
        return {**super().to_document(), **self.content}
