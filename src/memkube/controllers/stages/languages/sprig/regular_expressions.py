"""Sprig's functions for regular expressions (``regex.go``), in the syntax RE2."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from memkube.apimachinery.go_regexp import compile_pattern
from memkube.controllers.stages.languages.template_arguments import (
    TemplateFunction,
    check_length,
    int_of,
    of_texts,
    taking,
    text_of,
)
from memkube.controllers.stages.languages.template_values import TemplateError

_NAMES: Final = re.compile(r"\$(?:\$|(\w+)|\{(\w+)\})", re.ASCII)
_SPECIAL: Final = re.compile(r"[\\.+*?()|\[\]{}^$]")


def _compiled(pattern: Any) -> Any:
    try:
        return compile_pattern(text_of(pattern))
    except ValueError as error:
        raise TemplateError(str(error)) from None


def _matches(pattern: Any, text: Any) -> bool:
    try:
        return compile_pattern(text_of(pattern)).search(text_of(text)) is not None
    except ValueError:
        return False


def _must_match(pattern: Any, text: Any) -> bool:
    return _compiled(pattern).search(text_of(text)) is not None


def _found(pattern: Any, text: str) -> Iterator[Any]:
    """Yield the matches that do not overlap. As in Go, an empty match directly after another match is left out."""
    end = -1
    for match in _compiled(pattern).finditer(text):
        if match.end() > match.start() or match.start() != end:
            yield match
        end = match.end()


def _find(pattern: Any, text: Any) -> str:
    found = _compiled(pattern).search(text_of(text))
    return found.group() if found is not None else ""


def _find_all(pattern: Any, text: Any, most: Any) -> list[str]:
    limit = int_of(most)
    found = [match.group() for match in _found(pattern, text_of(text))]
    return found if limit < 0 else found[:limit]


def _replacer(replacement: Callable[[Any, str], str]) -> Callable[[str, str, str], str]:
    def replace(pattern: str, text: str, template: str) -> str:
        parts: list[str] = []
        last = length = 0
        for match in _found(pattern, text):
            parts += [text[last : match.start()], replacement(match, template)]
            length += len(parts[-2]) + len(parts[-1])
            check_length(length)
            last = match.end()
        return "".join(parts) + text[last:]

    return replace


def _expanded(match: Any, template: str) -> str:
    """Replace ``$1``, ``$name`` and ``${name}`` in `template` by the groups of a match; unknown groups are empty."""

    def group(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if name is None:
            return "$"
        try:
            return match.group(int(name) if name.isdigit() else name) or ""
        except (IndexError, KeyError):
            return ""

    return _NAMES.sub(group, template)


def _split(pattern: Any, text: Any, most: Any) -> list[str]:
    """Split a text at the matches of a pattern into at most `most` parts (Go's ``Regexp.Split``)."""
    limit, written = int_of(most), text_of(text)
    if limit == 0:
        return []
    if text_of(pattern) and not written:
        return [""]
    parts: list[str] = []
    begin = end = 0
    for match in _found(pattern, written):
        if 0 < limit <= len(parts) + 1:
            break
        end = match.start()
        if match.end():
            parts.append(written[begin:end])
        begin = match.end()
    return [*parts, written[begin:]] if end != len(written) else parts


_ALSO_MUST: Final[Mapping[str, TemplateFunction]] = {
    "regexFind": taking(2, _find),
    "regexFindAll": taking(3, _find_all),
    "regexReplaceAll": of_texts(3, _replacer(_expanded)),
    "regexReplaceAllLiteral": of_texts(3, _replacer(lambda match, text: text)),
    "regexSplit": taking(3, _split),
}
REGULAR_EXPRESSIONS: Final[Mapping[str, TemplateFunction]] = {
    **_ALSO_MUST,
    **{f"mustR{name[1:]}": function for name, function in _ALSO_MUST.items()},
    "regexMatch": taking(2, _matches),
    "mustRegexMatch": taking(2, _must_match),
    "regexQuoteMeta": of_texts(1, lambda text: _SPECIAL.sub(lambda found: "\\" + found[0], text)),
}
"""Functions for regular expressions, by name."""
