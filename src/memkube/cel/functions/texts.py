"""Functions that parse strings: regular expressions, URLs and named formats.

Sources: apiserver ``pkg/cel/library/regex.go``, ``urls.go`` and ``format.go``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from memkube.apimachinery.go_regexp import compile_pattern
from memkube.apimachinery.go_url import GoUrl, parse_request_uri, parse_url
from memkube.apimachinery.names import is_label_value, is_qualified_name, label_1035_name, label_name, subdomain_name
from memkube.apimachinery.structural.formats import has_format
from memkube.cel.declarations import Implementations
from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.values import NONE, Opaque, Optional

_URL: Final = "kubernetes.URL"
_FORMAT: Final = "kubernetes.NamedFormat"


def _pattern(text: str) -> Any:
    try:
        return compile_pattern(text)
    except ValueError as error:
        raise EvaluationError(f"Illegal regex: {error}") from None


def _find(text: str, pattern: str) -> str:
    found = _pattern(pattern).search(text)
    return found[0] if found else ""


def _find_all(text: str, pattern: str, most: int = -1) -> list[str]:
    found: list[str] = []
    end = -1
    for match in _pattern(pattern).finditer(text):
        if len(found) == most:
            break
        # Python also finds an empty match directly after another match. Go does not, so it is skipped here.
        if match.end() > match.start() or match.start() != end:
            found.append(match[0])
        end = match.end()
    return found


@dataclass(frozen=True, slots=True, eq=False)
class URL(Opaque):
    """A URL. Comparison with a value of another type raises EvaluationError."""

    type_name: ClassVar[str] = _URL
    url: GoUrl

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, URL):
            raise no_such_overload()
        return str(self.url) == str(other.url)

    def __hash__(self) -> int:
        return hash(str(self.url))

    def __str__(self) -> str:
        return str(self.url)


def url(text: str) -> URL:
    """Parse an absolute URL. Raises EvaluationError if it is invalid."""
    try:
        parse_request_uri(text)
        return URL(parse_url(text))
    except ValueError as error:
        raise EvaluationError(f"URL parse error during conversion from string: {error}") from None


def _is_url(text: str) -> bool:
    return not _uri_faults(text)


def _read(part: Callable[[GoUrl], str]) -> dict[str, Callable[[URL], str]]:
    return {f"{_URL}.(): string": lambda value: part(value.url)}


@dataclass(frozen=True, slots=True, eq=False)
class NamedFormat(Opaque):
    """A named string format such as ``dns1123Label``.

    The function `faults` gets a string and returns the reasons why it does not have the format. Comparison with a value
    of another type raises EvaluationError.
    """

    type_name: ClassVar[str] = _FORMAT
    name: str
    faults: Callable[[str], list[str]] = field(repr=False)
    pattern_size: int

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NamedFormat):
            raise no_such_overload()
        return self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


def _uri_faults(text: str) -> list[str]:
    try:
        parse_request_uri(text)
    except ValueError as error:
        return [str(error)]
    return []


def _of_schema(name: str, why: str) -> Callable[[str], list[str]]:
    return lambda text: [] if has_format(text, name) else [why]


_UUID_PATTERN: Final = 70
_DATE_TIME_PATTERN: Final = 71
FORMATS_BY_NAME: Final = {
    "dns1123Label": NamedFormat("DNS1123Label", label_name, 30),
    "dns1123Subdomain": NamedFormat("DNS1123Subdomain", subdomain_name, 60),
    "dns1035Label": NamedFormat("DNS1035Label", label_1035_name, 30),
    "qualifiedName": NamedFormat("QualifiedName", is_qualified_name, 60),
    "dns1123LabelPrefix": NamedFormat("DNS1123LabelPrefix", lambda text: label_name(text, True), 30),
    "dns1123SubdomainPrefix": NamedFormat("DNS1123SubdomainPrefix", lambda text: subdomain_name(text, True), 60),
    "dns1035LabelPrefix": NamedFormat("DNS1035LabelPrefix", lambda text: label_1035_name(text, True), 30),
    "labelValue": NamedFormat("LabelValue", is_label_value, 40),
    "uri": NamedFormat("URI", _uri_faults, 1103),
    "uuid": NamedFormat("uuid", _of_schema("uuid", "does not match the UUID format"), _UUID_PATTERN),
    "byte": NamedFormat("byte", _of_schema("byte", "invalid base64"), 84),
    "date": NamedFormat("date", _of_schema("date", "invalid date"), _DATE_TIME_PATTERN),
    "datetime": NamedFormat("datetime", _of_schema("datetime", "invalid datetime"), _DATE_TIME_PATTERN),
}
"""Named formats that expressions can use.

The last argument of each `NamedFormat` is the length of its regular expression in Kubernetes, which determines the cost
of a validation.
"""


def _named(name: str) -> Optional:
    return Optional(FORMATS_BY_NAME[name]) if name in FORMATS_BY_NAME else NONE


def _validate(form: NamedFormat, text: str) -> Optional:
    faults = form.faults(text)
    return Optional(faults) if faults else NONE


def _constant(form: NamedFormat) -> dict[str, Callable[[], NamedFormat]]:
    return {f"(): {_FORMAT}": lambda: form}


REGEX: Final[Implementations] = {
    "find": {"string.(string): string": _find},
    "findAll": {"string.(string): list(string)": _find_all, "string.(string, int): list(string)": _find_all},
}
URLS: Final[Implementations] = {
    "url": {f"(string): {_URL}": url},
    "isURL": {"(string): bool": _is_url},
    "getScheme": _read(lambda url: url.scheme),
    "getHost": _read(lambda url: url.host),
    "getHostname": _read(lambda url: url.hostname),
    "getPort": _read(lambda url: url.port),
    "getEscapedPath": _read(lambda url: url.path),
    "getQuery": {f"{_URL}.(): map(string, list(string))": lambda value: value.url.parameters},
}
FORMATS: Final[Implementations] = {
    "validate": {f"{_FORMAT}.(string): optional_type(list(string))": _validate},
    "format.named": {f"(string): optional_type({_FORMAT})": _named},
    **{f"format.{name}": _constant(form) for name, form in FORMATS_BY_NAME.items()},
}
