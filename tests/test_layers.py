"""Checks that import contracts cannot make: attributes that bypass a layer."""

import ast
from collections.abc import Iterator
from pathlib import Path

import memkube

SOURCE = Path(memkube.__file__).parent
BELOW = ("registry", "storage")
"""The packages that may access storage."""
CHOOSING = ("server/app.py", "cluster/options.py", "cli/options/storage.py")
"""Modules that create or choose a storage engine: the composition root and the options of a cluster."""
PRIVATE = frozenset({"storage"})
"""The attribute by which the registry's own objects hold the storage."""


def attributes(module: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines and names of a module's attribute accesses, including getattr with a literal name."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
            for word in node.args[1:2]:
                if isinstance(word, ast.Constant) and isinstance(word.value, str):
                    yield node.lineno, word.value


def test_nothing_outside_the_registry_reaches_storage() -> None:
    chosen = {SOURCE / path for path in CHOOSING}
    modules = [path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] not in BELOW]
    modules = [path for path in modules if path not in chosen]
    found = [f"{path}:{line}" for path in modules for line, name in attributes(path) if name in PRIVATE]
    assert (len(modules) > 100, found) == (True, [])
