"""Conversion of objects to the API versions in which managers own fields.

Source: apimachinery's ``managedfields/internal/versionconverter.go``.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from memkube.apimachinery.managed_fields.shapes import violations
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import Schema


class OtherVersion(NamedTuple):
    """An API version of a built-in kind whose fields differ from those of the version that the client wrote."""

    schema: Schema
    convert: Callable[[Document], Document]
    """Function that converts an object from the version that the client wrote to this version, without defaults."""
    convert_back: Callable[[Document], Document]
    """Function that converts an object from this version to the version that the client wrote, without defaults."""


class UnfitForVersionError(Exception):
    """Raised with Kubernetes' message if an object cannot be converted to a version in which a manager owns fields."""


class Versions(Protocol):
    """The API versions of a custom kind, with their schemas and the conversion of objects between them."""

    def schema(self, api_version: str) -> Schema:
        """Return the schema of an API version. Raises UnfitForVersionError if the kind does not have the version."""

    def has_status(self, api_version: str) -> bool:
        """True if the version has a status subresource."""

    def converted(self, document: Document, api_version: str) -> Document:
        """Convert an object to an API version.

        Raises UnfitForVersionError if this conversion can never succeed, and another error if the client should retry.
        """

    def convert_checked(self, document: Document, api_version: str, what: str = "") -> Document:
        """Convert an object to an API version, and check the result against the schema of that version.

        An object that already has that version is not checked. Raises UnfitForVersionError if the conversion or the
        check fails; its message starts with `what`.
        """
        try:
            found = self.converted(document, api_version)
            if found is document:
                return document
            problems = violations(self.schema(api_version), found, repeats=True)
        except UnfitForVersionError as error:
            raise UnfitForVersionError(f"{what}{error}") from None
        if problems:
            raise UnfitForVersionError(f"{what}{problems}")
        return found


class BuiltInVersions(Versions):
    """The API versions of a built-in kind whose versions have different fields."""

    def __init__(self, api_version: str, schema: Schema, others: Mapping[str, OtherVersion]) -> None:
        """Create the versions from the version that the client wrote, its schema, and the `others` by API version."""
        self._api_version = api_version
        self._schema = schema
        self._others = others

    def schema(self, api_version: str) -> Schema:
        if api_version == self._api_version:
            return self._schema
        if api_version not in self._others:
            raise UnfitForVersionError(f"no corresponding type for {api_version}")
        return self._others[api_version].schema

    def has_status(self, api_version: str) -> bool:
        return True

    def converted(self, document: Document, api_version: str) -> Document:
        found = document["apiVersion"]
        if found == api_version:
            return document
        own = document if found == self._api_version else self._others[found].convert_back(document)
        return own if api_version == self._api_version else self._others[api_version].convert(own)
