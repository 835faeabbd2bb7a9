"""Objects of kinds without a model: metadata is typed, all other fields are JSON data."""

from typing import Any

from pydantic import ConfigDict

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document


class Unstructured(ApiObject):
    """An object of any kind (apimachinery's ``unstructured.Unstructured``).

    The object shares its content with the JSON data it was created from; replace values, and never modify them in
    place.
    """

    model_config = ConfigDict(extra="allow")

    @property
    def content(self) -> Document:
        """Fields other than kind, apiVersion and metadata."""
        content = self.__pydantic_extra__
        assert content is not None
        return content

    def set_field(self, name: str, value: Any) -> None:
        """Set the top-level field `name` to a JSON value."""
        self.content[name] = value

    def take_field(self, name: str, source: Document) -> None:
        """Copy a top-level field from `source` to this object; remove the field if `source` does not have it."""
        if name in source:
            self.content[name] = source[name]
        else:
            self.content.pop(name, None)

    def to_document(self) -> Document:
        """Return this object as JSON data, which shares its values with the object."""
        return {**super().to_document(), **self.content}
