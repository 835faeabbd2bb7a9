"""Ownership of fields in other API versions than the one being written.

Source: apimachinery's ``managedfields/internal/versionconverter.go``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from memkube.apimachinery.managed_fields.shapes import violations
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import Schema


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """An API version whose fields differ from those of the written version."""

    schema: Schema
    convert: Callable[[Document], Document]
    """Converts an object from the written version to this one."""


class UnfitForVersionError(Exception):
    """An object cannot be converted to a version in which a manager owns fields, with the reference's message."""


class Versions(Protocol):
    """Versions of a custom kind, between which objects are converted on demand."""

    def schema(self, api_version: str) -> Schema:
        """Return the schema of a version. Raises UnfitForVersionError if it does not exist."""

    def has_status(self, api_version: str) -> bool:
        """True if the version has a status subresource."""

    def converted(self, document: Document, api_version: str) -> Document:
        """Convert an object to a version. Raises UnfitForVersionError, or an error that makes the caller retry."""

    def convert_checked(self, document: Document, api_version: str, what: str = "") -> Document:
        """Convert an object to a version and check it against the schema; `what` starts the error message.

        A document that is already in that version is not checked. Raises UnfitForVersionError if the conversion or
        check fails.
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
