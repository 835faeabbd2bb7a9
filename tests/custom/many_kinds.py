"""Prints what a hundred more made-up kinds without models cost: seconds and bytes for each.

``python -m tests.custom.many_kinds FOLDER`` writes their files there and imports them, each one file of facts.
"""

import gc
import sys
import tracemalloc
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Final

from memkube.server.app import create_registry
from memkube.server.settings import Settings

COUNT: Final = 100
_FACTS: Final = '''"""Widgets: things that were made up."""

from memkube.apimachinery.schema import StructSchema
from memkube.apimachinery.structural import struct_of_document
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, status_subresource


def struct() -> StructSchema:
    """What a widget holds."""
    size = {{"type": "integer", "format": "int32", "description": "How large it is."}}
    spec = {{"type": "object", "properties": {{"size": size, "colour": {{"type": "string"}}}}}}
    return struct_of_document({{"type": "object", "properties": {{"spec": spec}}}}, "Widget{number}")


RESOURCE = Resource(
    group="many.example.com",
    version="v1",
    kind="Widget{number}",
    plural="widget{number}s",
    singular="widget{number}",
    struct=Lazy(f"{{__name__}}:struct()"),
    subresources=(status_subresource(Lazy("memkube.registry.declarations.strategy:Strategy()")),),
)
'''


def write_kinds(folder: Path) -> None:
    """A package with a file for each kind, and one more."""
    package = folder / "many"
    package.mkdir()
    (package / "__init__.py").touch()
    for number in range(COUNT + 1):
        (package / f"widget{number}.py").write_text(_FACTS.format(number=number))


class Kinds:
    """A catalog with one such kind, which has imported what all of them share."""

    def __init__(self) -> None:
        self._catalog = create_registry(Settings()).catalog
        self._serve(0)

    def _serve(self, *numbers: int) -> None:
        self._catalog.serve(import_module(f"many.widget{number}").RESOURCE for number in numbers)

    def seconds(self) -> float:
        """The seconds of the processor that importing and serving a hundred more takes."""
        # A server lets the collector look at everything a few times in its life only.
        gc.freeze()
        start = process_time()
        self._serve(*range(1, COUNT + 1))
        return process_time() - start


def main(folder: Path) -> None:
    """With anything for a second argument, counts bytes instead, which takes its time."""
    if not (folder / "many").is_dir():
        write_kinds(folder)
    sys.path.insert(0, str(folder))
    if len(sys.argv) > 2:
        tracemalloc.start()
        kinds = Kinds()
        before, _ = tracemalloc.get_traced_memory()
        kinds.seconds()
        print((tracemalloc.get_traced_memory()[0] - before) / COUNT)
    else:
        print(Kinds().seconds() / COUNT)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
