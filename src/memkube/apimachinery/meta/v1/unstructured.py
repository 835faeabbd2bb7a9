"""Objects without a model: typed metadata, and all other fields as JSON data."""

from typing import Any

from pydantic import ConfigDict

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document


class Unstructured(ApiObject):
    """An object of any kind (apimachinery's ``unstructured.Unstructured``).

    Its content is shared with the document it was created from; values must be replaced, never changed in place.
    """

    model_config = ConfigDict(extra="allow")

    @property
    def content(self) -> Document:
        """Fields besides kind, apiVersion and metadata."""
        content = self.__pydantic_extra__
        assert content is not None
        return content

    def set_field(self, name: str, value: Any) -> None:
        """Set a field."""
        self.content[name] = value

    def take_field(self, name: str, source: Document) -> None:
        """Copy a field from `source`; remove it if `source` lacks it."""
        if name in source:
            self.content[name] = source[name]
        else:
            self.content.pop(name, None)

    def to_document(self) -> Document:
        """Return this object as JSON data, which shares its content."""
        return {**super().to_document(), **self.content}
