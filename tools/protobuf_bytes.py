"""Record the reference's protobuf encoding of objects: ``python tools/protobuf_bytes.py PROGRAM FILE``.

PROGRAM is built from ``protobuf_bytes.go``; FILE is ``tests/recordings/protobuf.json.xz``. The objects are generated
from the tables of field facts with a fixed random seed: of each kind and list an empty one, one with some of its fields
and one with all of its fields. Their values include those that have more than one JSON form.
"""

import lzma
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from json import dumps, loads
from pathlib import Path
from random import Random
from typing import Any, Final

from memkube.apimachinery import field_facts
from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.protobuf.go_types import ListShape, MapShape, ScalarShape, Shape, Shapes, WrappedShape
from memkube.apimachinery.protobuf.unions import UNIONS
from memkube.apimachinery.schema import ScalarType

_SHARES: Final = (0.0, 0.3, 1.0)
"""Shares of the fields that are set, one object of each kind per share."""
_DEEPEST: Final = 8
_SHALLOW: Final = 4
"""Depth from which on structs have fewer fields, so that objects do not become too large."""
_TEXTS: Final = ("text", "", "gr\u00f6\u00dfe", "a<b>&")
_KEYS: Final = ("b", "a", "\u00e4", "", "zz/y")
_VALUES: Final[Mapping[ScalarType, Sequence[Any]]] = {
    "string": _TEXTS,
    "bytes": ("/wBiaW5hcnk=", ""),
    "bool": (True, False),
    "int32": (-5, 0, 7, 300),
    "int64": (2**40, -1, 0),
    "float64": (1.5, 0.0),
    "quantity": ("100m", "0", "1Gi"),
    "time": ("2026-01-02T03:04:05Z", "1960-01-02T03:04:05Z", None),
    "microtime": ("2026-01-02T03:04:05.000006Z", None),
    "int-or-string": ("50%", 0, 80, -1),
    "raw": ({"f:metadata": {"f:x": {}}}, {"a": [1, "<", None]}, None),
}
_CORE: Final = ("core",)
_WITHOUT_DOMAIN: Final = ("apps", "autoscaling", "batch", "policy")
_LONGER: Final = {"rbac": "rbac.authorization", "flowcontrol": "flowcontrol.apiserver"}
_NOT_IN_SCHEME: Final = frozenset({"AdmissionReview", "ApplyOptions", "List", "Table", "TableOptions"})
"""Kinds without protobuf, kinds that are not in clients' schemes, and kinds that contain separately encoded objects."""


class Objects:
    """Generates objects of the kinds in the tables."""

    def __init__(self) -> None:
        self._shapes = Shapes(go_package)

    def of_all_kinds(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield objects of every kind of every package, with the path of the package."""
        for table in sorted(Path(field_facts.__file__).parent.glob("*.json")):
            path = loads(table.read_bytes())["package"]
            package = go_package(path)
            for name in sorted(package.structs - _NOT_IN_SCHEME):
                fields, api_version = package.fields(name), _api_version(path, name)
                if api_version and fields and fields[0].go_name == "TypeMeta":
                    for share in _SHARES:
                        chance = Random(f"{path}.{name} {share}")  # noqa: S311  the objects must be reproducible
                        content = self._struct(path, name, chance, share)
                        yield path, {"kind": name, "apiVersion": api_version, **content}

    def _struct(self, path: str, name: str, chance: Random, share: float, depth: int = 0) -> Any:
        if name in UNIONS:
            return self._union(path, name, chance, depth)
        package = go_package(path)
        document: dict[str, Any] = {}
        for facts in package.fields(name):
            if facts.number is None:
                continue
            if not facts.name:
                document |= self._struct(*package.resolve(facts.go_type), chance, share, depth)
            elif depth < _DEEPEST and chance.random() < (share if depth < _SHALLOW else share / 2):
                value = self._value(self._shapes.of(package, facts.go_type), chance, share, depth)
                if value is not None:
                    document[facts.name] = value
        return document

    def _value(self, shape: Shape, chance: Random, share: float, depth: int) -> Any:
        if isinstance(shape, ScalarShape):
            return chance.choice(_VALUES[shape.type])
        if isinstance(shape, ListShape | WrappedShape):
            return [self._value(shape.item, chance, share, depth) for _ in range(chance.choice((0, 1, 2)))]
        if isinstance(shape, MapShape):
            keys = chance.sample(_KEYS, chance.choice((0, 1, 3)))
            return {key: self._value(shape.value, chance, share, depth) for key in keys}
        return self._struct(shape.path, shape.name, chance, share, depth + 1)

    def _union(self, path: str, name: str, chance: Random, depth: int) -> Any:
        schema = self._struct(path, "JSONSchemaProps", chance, 0.1, depth + 1)
        others = {"JSONSchemaPropsOrArray": [schema], "JSONSchemaPropsOrBool": False}
        return chance.choice((schema, others.get(name, ["text"])))


def _api_version(path: str, kind: str) -> str:
    """Return the apiVersion of a package's kinds; "" if none of the package's kinds are served."""
    *before, group, version = path.split("/")
    if path.startswith("k8s.io/apimachinery/"):
        return ("meta.k8s.io/v1" if kind.startswith("Partial") else "v1") if group == "meta" else ""
    if before[0] != "k8s.io" or version == "v1alpha1":
        return ""
    if group in _CORE:
        return version
    return f"{group}/{version}" if group in _WITHOUT_DOMAIN else f"{_LONGER.get(group, group)}.k8s.io/{version}"


def main(program: str, file: str) -> None:
    """Write the recordings. Raises CalledProcessError if the reference does not accept an object."""
    objects = list(Objects().of_all_kinds())
    lines = "".join(dumps(found, separators=(",", ":"), ensure_ascii=False) + "\n" for _, found in objects)
    done = subprocess.run([program], input=lines.encode(), stdout=subprocess.PIPE, check=True)  # noqa: S603  the user names the program
    written = done.stdout.decode().splitlines()
    recordings = [
        {"package": path, "object": found, "bytes": text} for (path, found), text in zip(objects, written, strict=True)
    ]
    text = dumps(recordings, separators=(",", ":"))
    Path(file).write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main(*sys.argv[1:])
