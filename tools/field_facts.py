"""Write the tables of field facts, from a checkout of Kubernetes: ``python tools/field_facts.py CHECKOUT [FOLDER]``.

A table holds for each struct of a Go package the names, types and protobuf numbers of its fields in order, and the
differences from the reference's internal type of the same name. Go's declarations and ``generated.proto`` must agree.

``k8s.io.api.settings.v1alpha1.json`` is not written, because the reference has dropped that group. It was written by
hand from ``staging/src/k8s.io/api/settings/v1alpha1`` of Kubernetes 1.19.
"""

import json
import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

TABLES: Final = Path(__file__).parent.parent / "src/memkube/apimachinery/field_facts"

API_VERSIONS: Final = (
    "admission/v1 admissionregistration/v1 apidiscovery/v2 apps/v1 authentication/v1 authorization/v1 autoscaling/v1 "
    "autoscaling/v2 batch/v1 certificates/v1 coordination/v1 core/v1 discovery/v1 events/v1 flowcontrol/v1 "
    "networking/v1 node/v1 policy/v1 rbac/v1 resource/v1 scheduling/v1 storage/v1"
)
"""Groups and versions below ``k8s.io/api``."""
_MACHINERY: Final = "k8s.io/apimachinery/pkg"
_EXTENSIONS: Final = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
_AGGREGATION: Final = "k8s.io/kube-aggregator/pkg/apis/apiregistration"
PACKAGES: Final[Mapping[str, str]] = {
    **{f"k8s.io/api/{name}": f"pkg/apis/{name.split('/')[0]}" for name in API_VERSIONS.split()},
    "k8s.io/api/events/v1": "pkg/apis/core",
    f"{_EXTENSIONS}/v1": f"staging/src/{_EXTENSIONS}",
    f"{_AGGREGATION}/v1": f"staging/src/{_AGGREGATION}",
    f"{_MACHINERY}/apis/meta/v1": "",
    f"{_MACHINERY}/runtime": "",
    f"{_MACHINERY}/util/intstr": "",
    f"{_MACHINERY}/api/resource": "",
    f"{_MACHINERY}/types": "",
}
"""The Go packages of the served kinds, with the folders of their internal types."""

_WRITTEN_BY_HAND: Final = frozenset({"Time", "MicroTime", "Quantity", "QuantityValue", "RawExtension", "FieldsV1"})
"""Structs whose protobuf message differs from their fields."""

_comments = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_struct = re.compile(r"^type (\w+) struct ?\{(?:\}|\n(.*?)^\})", re.DOTALL | re.MULTILINE)
_named = re.compile(r"^type ([A-Z]\w*) (?:= )?((?:\[\]|map\[[\w.]+\]|\*)*[\w.]+)$", re.MULTILINE)
_import = re.compile(r'^(?:import)?\s+(?:(\w+) )?"([\w./-]+)"$', re.MULTILINE)
_field = re.compile(r"^\t(?:(\w+) +)?([\w.*\[\]]+(?:\{\})?)(?:\s+`(.*)`)?\s*$", re.MULTILINE)
_qualified = re.compile(r"\b(\w+)\.(?=[A-Z])")
_json_tag = re.compile(r'json:"([^",]*)([^"]*)"')
_protobuf_tag = re.compile(r'protobuf:"\w+,(\d+),')
_message = re.compile(r"^message (\w+) \{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
_number = re.compile(r"(\w+) = (\d+);")
_version = re.compile(r"v\d+\w*").fullmatch


@dataclass
class GoField:
    """A field of a struct. A field without a JSON name is embedded; one with the name "-" is not part of the JSON."""

    name: str
    type: str
    json: str
    number: int | None
    omits: str
    """The tag options that omit an empty value."""

    def written(self) -> str:
        """Return the field as an entry of a table."""
        derived = self.name[:1].lower() + self.name[1:]
        name = self.name if self.json == derived else f"{self.name}:{self.json}"
        words = [name, self.type, str(self.number or "")]
        if self.json not in ("", "-"):
            words.append("?" if "omitzero" in self.omits else "" if "omitempty" in self.omits else "!")
        return " ".join(filter(None, words))


@dataclass
class GoPackage:
    """The declarations of a package, and the field numbers of its messages."""

    structs: dict[str, list[GoField]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, dict[str, int]] = field(default_factory=dict)


def read_package(folder: Path) -> GoPackage:
    """Read the declarations in a folder's Go files, except tests and most generated files."""
    package = GoPackage(numbers=_read_numbers(folder / "generated.proto"))
    for file in sorted(folder.glob("*.go")):
        if not file.name.endswith("_test.go") and "generated" not in file.name:
            _read_file(_comments.sub("", file.read_text()), package)
    return package


def _read_file(text: str, package: GoPackage) -> None:
    imports = {alias or path.rpartition("/")[2]: path for alias, path in _import.findall(text)}
    aliases = {alias: _alias(path) for alias, path in imports.items()}
    package.imports |= {_alias(path): path for path in imports.values()}

    def renamed(go_type: str) -> str:
        return _qualified.sub(lambda found: f"{aliases[found[1]]}.", go_type)

    for name, go_type in _named.findall(text):
        package.types[name] = renamed(go_type)
    for name, body in _struct.findall(text):
        package.structs[name] = [
            _read_field(found, renamed(go_type), tag) for found, go_type, tag in _field.findall(body)
        ]


def _alias(path: str) -> str:
    """Return one alias for a package in all files."""
    *_, parent, last = ["", *path.split("/")]
    return parent + last if _version(last) else last


def _read_field(name: str, go_type: str, tag: str) -> GoField:
    found, numbered = _json_tag.search(tag), _protobuf_tag.search(tag)
    written, options = found.groups() if found else ("-" if tag or name else "", "")
    embedded = not name and written in ("", "-")
    return GoField(
        name or go_type.lstrip("*").rpartition(".")[2],
        go_type,
        "" if embedded else written,
        int(numbered[1]) if numbered else None,
        options,
    )


def _read_numbers(proto: Path) -> dict[str, dict[str, int]]:
    text = _comments.sub("", proto.read_text()) if proto.exists() else ""
    return {name: {n: int(at) for n, at in _number.findall(body)} for name, body in _message.findall(text)}


def disagreements(package: GoPackage) -> Iterator[str]:
    """Return the structs whose tags have other numbers than their messages."""
    for name, fields in package.numbers.items():
        if name in package.structs and name not in _WRITTEN_BY_HAND:
            tagged = {found.number for found in package.structs[name] if found.number}
            if tagged != set(fields.values()):
                yield f"{name}: {sorted(tagged)} in Go, {sorted(fields.values())} in its message"
        elif name not in package.types and name not in _WRITTEN_BY_HAND:
            yield f"{name}: not declared in Go"


def table(path: str, package: GoPackage, internal: GoPackage) -> str:
    """Return a package's table as JSON, with a line for each struct."""
    structs = {
        name: ", ".join(found.written() for found in fields if found.json != "-" or found.number)
        for name, fields in sorted(package.structs.items())
        if any(found.json not in ("", "-") or found.number for found in fields)
        or (not fields and name in package.numbers)
    }
    types = _types_of(package, structs, everything=path.endswith("/types"))
    used = set(re.findall(r"\w+(?=\.)", " ".join([*structs.values(), *types.values()])))
    inside = {name: _names(internal.structs[name]) for name in structs if name in internal.structs}
    content: dict[str, str | list[str] | Mapping[str, str]] = {
        "package": path,
        "imports": {alias: path for alias, path in sorted(package.imports.items()) if alias in used},
        "types": types,
        "wrapped": [name for name in types if name in package.numbers],
        "structs": structs,
        "internal": {name: names for name, names in inside.items() if names != _names(package.structs[name])},
    }
    parts = (f"{json.dumps(key)}: {_lines(value)}" for key, value in content.items() if value)
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _types_of(package: GoPackage, structs: Mapping[str, str], *, everything: bool) -> dict[str, str]:
    """Return the named types of fields, with the types that they are defined as."""
    found = dict(package.types) if everything else {}
    waiting = {word for fields in structs.values() for word in re.findall(r"[\w.]+", fields)}
    while waiting:
        named = {name: package.types[name] for name in waiting if name in package.types and name not in found}
        found |= named
        waiting = {word for go_type in named.values() for word in re.findall(r"[\w.]+", go_type)}
    return dict(sorted(found.items()))


def _names(fields: list[GoField]) -> str:
    """Return the fields of an internal struct, which has no JSON names; embedded fields end with a colon."""
    return " ".join(f"{found.name}:" if not found.json else found.name for found in fields)


def _lines(value: str | list[str] | Mapping[str, str]) -> str:
    if isinstance(value, str | list):
        return json.dumps(value)
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(item)}" for key, item in value.items()) + "\n}"


def main(checkout: Path, tables: Path = TABLES) -> None:
    """Write all tables. Exit with an error if a package is missing, or if Go and protobuf disagree."""
    needed = [*(f"staging/src/{path}" for path in PACKAGES), *filter(None, PACKAGES.values())]
    if missing := [folder for folder in needed if not (checkout / folder).is_dir()]:
        sys.exit(
            "\n".join([f"{checkout} is not a complete checkout of Kubernetes. These folders are missing:", *missing])
        )
    for path, inside in PACKAGES.items():
        package = read_package(checkout / "staging/src" / path)
        wrong = list(disagreements(package))
        if wrong:
            sys.exit("\n".join([f"{path}:", *wrong]))
        internal = read_package(checkout / inside) if inside else GoPackage()
        (tables / f"{path.replace('/', '.')}.json").write_text(table(path, package, internal))


if __name__ == "__main__":
    parser = ArgumentParser(description="Write the tables of field facts, from a checkout of Kubernetes.")
    parser.add_argument("checkout", type=Path, help="Folder of the checkout, which has staging/src.")
    parser.add_argument("tables", type=Path, nargs="?", default=TABLES, help="Folder to write the tables into.")
    main(**vars(parser.parse_args()))
