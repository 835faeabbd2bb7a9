"""YAML as kube-apiserver writes it: sorted keys, and strings quoted if a YAML 1.1 parser needs it."""

import re
from typing import Any

import yaml

from memkube.apimachinery.go_strings import with_replacements

_Dumper = yaml.CSafeDumper
_AMBIGUOUS = re.compile(
    r"y|Y|n|N|0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]*|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?|"
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|\d{4}-\d\d?-\d\d?.*"
)
_IMPLICIT = {
    first: rules for first, rules in yaml.resolver.Resolver.yaml_implicit_resolvers.items() if first not in {*"!&*<="}
}
"""Rules by which a YAML parser reads unquoted texts as other types than string, by first character.

Rules that kube-apiserver's parser does not have are removed.
"""


class _ReferenceDumper(_Dumper):
    """YAML dumper that quotes and folds strings as kube-apiserver does."""

    yaml_implicit_resolvers = _IMPLICIT

    def ignore_aliases(self, data: Any) -> bool:
        """Return True, so that repeated values are written out and not as YAML aliases."""
        return True


def _string(dumper: Any, value: str) -> Any:
    if "\n" in value and value.isprintable() is False and _is_block(value):
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|")
    style = '"' if _AMBIGUOUS.fullmatch(value) or _resolves(value) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


def _is_block(value: str) -> bool:
    return all(line.isprintable() or line == "" for line in value.split("\n"))


def _resolves(value: str) -> bool:
    """Return True if a YAML parser would read the unquoted text as something other than a string."""
    tag: str = _RESOLVER.resolve(yaml.ScalarNode, value, (True, False))  # type: ignore[no-untyped-call]  # PyYAML's own
    return tag != "tag:yaml.org,2002:str"


class _ReferenceResolver(yaml.resolver.Resolver):
    """Determines the type of an unquoted text, as kube-apiserver's YAML parser does."""

    yaml_implicit_resolvers = _IMPLICIT


_RESOLVER = _ReferenceResolver()
_ReferenceDumper.add_representer(str, _string)
# JSON data may contain instances of subclasses of these types, such as the schemas of CustomResourceDefinitions.
_ReferenceDumper.add_multi_representer(str, lambda dumper, value: _string(dumper, str(value)))
_ReferenceDumper.add_multi_representer(dict, lambda dumper, value: dumper.represent_dict(value))
_ReferenceDumper.add_multi_representer(list, lambda dumper, value: dumper.represent_list(value))


def to_yaml(document: Any, *, width: int = 80) -> bytes:
    """Serialize JSON data to YAML in UTF-8. Characters that UTF-8 cannot encode are replaced.

    Texts are folded into lines of about `width` characters.
    """
    try:
        return _dumped(document, width).encode()
    except UnicodeEncodeError:
        return _dumped(with_replacements(document), width).encode()


def _dumped(document: Any, width: int) -> str:
    text: str = yaml.dump(
        document, Dumper=_ReferenceDumper, sort_keys=True, allow_unicode=True, default_flow_style=False, width=width
    )
    return text
