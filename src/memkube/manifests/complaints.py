"""Converts a server's errors and warnings about a manifest to findings with positions in the manifest's file."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.errors import ApiError, Cause
from memkube.cluster.manifest_text import Position
from memkube.cluster.manifests import InvalidDocument, Manifest
from memkube.manifests.creation import Creation, NoKind
from memkube.manifests.findings import NOWHERE, Finding, Level, subject_of

_named: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|\bwith name (\S+)').findall
_unfit: Final = re.compile(r'(unknown|duplicate) field "(.*)"').fullmatch
_about_field: Final = re.compile(r"((?:metadata|spec|status|data|[a-z]\w*)(?:[.\[][^\s:]*)): ").match
_INVALID: Final = 422
_first_key: Final = re.compile(r"[^.\[]*").match
_TYPE_OF: Final = {"unknown": "UnknownField", "duplicate": "DuplicateField"}
_line: Final = partial(re.compile(r"(?<=yaml: )line \d+: ").sub, "")
_ABOUT: Final = (
    ("resourceVersion should not be set", "metadata.resourceVersion"),
    ('namespaces "', "metadata.namespace"),
    ("the namespace of the provided object", "metadata.namespace"),
)
"""Pairs of the beginning of an error message without a field path, and the field that the error is about."""
_VERSION: Final = "spec.versions[0]"
_MEANT: Final = (
    ("data", "stringData"),
    ("metadata.taints", "spec.taints"),
    ("spec.additionalPrinterColumns", f"{_VERSION}.additionalPrinterColumns"),
    ("spec.clusterIPs[0]", "spec.clusterIP"),
    ("spec.LoadBalancerSourceRanges", "spec.loadBalancerSourceRanges"),
    ("spec.podCIDRs[0]", "spec.podCIDR"),
    ("spec.selectableFields", f"{_VERSION}.selectableFields"),
    ("spec.subresources", f"{_VERSION}.subresources"),
    ("spec.template.labels", "spec.template.metadata.labels"),
    ("spec.validation", f"{_VERSION}.schema"),
)
"""Pairs of a field path in error messages and the path in manifests.

Error messages name fields of Kubernetes' internal types.
"""


class Complaints:
    """Makes findings about one manifest from the server's errors and warnings when the manifest was created."""

    def __init__(self, file: str, manifest: Manifest, namespace: str = "") -> None:
        self._file = file
        self._manifest = manifest
        self._subject = subject_of(manifest, namespace)

    def of(self, creation: Creation) -> Iterator[Finding]:
        """Return a finding for each error and warning in `creation`, the result of creating the manifest's object."""
        for text in creation.unfit:
            yield self._of_unfit(text)
        if isinstance(creation.error, NoKind):
            yield self.of_kind(creation.error)
        elif creation.error is not None:
            yield from self._of_refusal(creation.error)
        for text in creation.warnings:
            yield self._of_warning(text)

    def of_duplicates(self) -> Iterator[Finding]:
        """Return a finding for each key that the text of the manifest has twice in one mapping."""
        for path, position in self._manifest.duplicates:
            field = _within(path, self._manifest)
            message = f'duplicate field "{field}"'
            yield Finding("error", "DuplicateField", message, self._file, position, self._subject, field)

    def of_kind(self, error: NoKind) -> Finding:
        """Return the finding that the server does not serve the manifest's kind in the manifest's version.

        If `error` contains other versions in which the kind is served, the finding's message names them.
        """
        hint = f"; it is served in {', '.join(error.versions)}" if error.versions else ""
        return self.finding("error", "NoMatch", f"{error}{hint}", "apiVersion" if error.versions else "kind")

    def finding(self, level: Level, rule: str, message: str, field: str = "") -> Finding:
        """Return a finding about a field, or about the whole object if `field` is empty.

        `level` is error or warning. `rule` is the type of the error or the reason of the Status, such as
        ``FieldValueRequired``.
        """
        return Finding(level, rule, message, self._file, self._position_of_field(field), self._subject, field)

    def _of_unfit(self, text: str) -> Finding:
        found = _unfit(text)
        if found is None:
            return self.finding("error", "BadRequest", text)
        return self.finding("error", _TYPE_OF[found[1]], text, self._written(found[2]))

    def _of_refusal(self, error: ApiError) -> Iterator[Finding]:
        if error.code == _INVALID and error.details and error.details.causes:
            for cause in error.details.causes:
                yield self._of_cause(cause)
            return
        rule = error.reason or "InternalError"
        unfit = error.__cause__
        if isinstance(unfit, DecodeError) and unfit.field:
            yield self.finding("error", rule, error.message, self._written(unfit.field))
            return
        field = next((field for words, field in _ABOUT if error.message.startswith(words)), "")
        position = self._position_of_field(field) if field else self._position_of_quoted_value(error.message)
        yield Finding("error", rule, error.message, self._file, position, self._subject, field)

    def _of_cause(self, cause: Cause) -> Finding:
        field = "" if cause.field == "<nil>" else cause.field
        message = f"{field}: {cause.message}" if field else cause.message
        return self.finding("error", cause.reason or "Invalid", message, field)

    def _of_warning(self, text: str) -> Finding:
        if text.startswith(f"{self._manifest.api_version} {self._manifest.kind} is deprecated"):
            return self.finding("warning", "Deprecated", text, "apiVersion")
        found = _about_field(text)
        return self.finding("warning", "Warning", text, found[1] if found else "")

    def _written(self, field: str) -> str:
        """Return the full path of a field.

        Decoding errors of metadata name the field relative to metadata, such as ``labels`` for ``metadata.labels``.
        """
        text, path = self._manifest.text, self._manifest.path
        if text is None or _key(field) in self._manifest.document:
            return field
        inside = f"metadata.{field}"
        return inside if text.position(inside, within=path) != text.position("metadata", within=path) else field

    def _position_of_field(self, field: str) -> Position:
        text = self._manifest.text
        if text is None:
            return NOWHERE
        others = [there + field.removeprefix(reported) for reported, there in _MEANT if field.startswith(reported)]
        return text.position(field or "metadata.name", *others, within=self._manifest.path)

    def _position_of_quoted_value(self, message: str) -> Position:
        """Return the position of the last value that a message quotes, or of the object's name if it quotes none."""
        text = self._manifest.text
        if text is not None:
            for quoted, named in reversed(_named(message)):
                found = text.value_position(quoted or named, self._manifest.path)
                if found is not None:
                    return found
        return self._position_of_field("")


def of_invalid_document(file: str, found: InvalidDocument) -> Finding:
    """Return the finding about `found`, a document in a file that cannot be parsed or is not an object."""
    if found.text is None:
        return Finding("error", "Syntax", found.message, file)
    if found.is_syntax:
        # The parser counts lines from the start of the document, but a finding has the line in the file.
        message = _line(found.message)
        return Finding("error", "Syntax", message, file, found.text.syntax_position)
    return Finding("error", "NoObject", found.message, file, found.text.position(found.field, within=found.path))


def _key(field: str) -> str:
    found = _first_key(field)
    return found[0] if found else ""


def _within(path: str, manifest: Manifest) -> str:
    """Convert a field path in a document to one in the manifest, which may be an item of a List."""
    for step in manifest.path:
        path = path.removeprefix(f"[{step}]" if isinstance(step, int) else step).removeprefix(".")
    return path
