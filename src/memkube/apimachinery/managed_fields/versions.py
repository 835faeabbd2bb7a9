"""Fields that are owned in other versions of a kind than the one that is written.

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
    """A version that has other fields than the one that is written."""

    schema: Schema
    convert: Callable[[Document], Document]
    """An object of the written version in this one."""


class UnfitForVersionError(Exception):
    """An object cannot be had in a version that somebody owns fields of; the text is the reference's."""


class Versions(Protocol):
    """The versions of a kind whose objects are converted on demand, from any version into any other."""

    def schema(self, api_version: str) -> Schema:
        """What objects of a version look like. Raises UnfitForVersionError for one that there is not."""

    def has_status(self, api_version: str) -> bool:
        """Whether the status of objects is written apart in a version."""

    def converted(self, document: Document, api_version: str) -> Document:
        """An object in a version. Raises UnfitForVersionError, and whatever leads to another try."""

    def fitted(self, document: Document, api_version: str, what: str = "") -> Document:
        """As converted, and every field of it is one of that version; `what` begins the text of the error.

        A document of that version is known to fit.
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
