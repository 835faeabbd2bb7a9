"""Write docs/python.md, the reference of the Python API, from the docstrings of the exported names.

Run it after a change of the API: ``python tools/python_reference.py``. A test compares the file with its output.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from textwrap import dedent
from types import FunctionType
from typing import Any, Final

import memkube
from memkube.auth.audit.audit import Audit
from memkube.auth.audit.roles import UserAudit
from memkube.cluster.clock import Clock
from memkube.cluster.faults import Fault, Faults, WhichAndWhen
from memkube.cluster.options import Options
from memkube.cluster.requests import RequestsSeen
from memkube.cluster.synchronous import Behaviors, Metrics, Nodes, Webhooks
from memkube.cluster.users import User

PAGE: Final = Path(__file__).parents[1] / "docs" / "python.md"
_HEAD: Final = """# The Python API

`tools/python_reference.py` generates this page from docstrings. `async with Memkube(...)` returns an `AsyncMemkube`,
which has the same methods and attributes as `Memkube`; its methods are awaited.

Types: a `Document` is an object as JSON data (`dict[str, Any]`), `Documents` is a list of them. `Manifests` is a path,
YAML or JSON text, a document, or an iterable of those. A `Condition` is one of `kubectl wait --for`, or a function of a
document. `PatchType` is `"strategic"`, `"merge"` or `"json"`; `Propagation` is `"Background"`, `"Foreground"` or
`"Orphan"`.
"""
_SECTIONS: Final = {
    "kube.clock": Clock,
    "kube.faults": Faults,
    "A fault": Fault,
    "kube.nodes": Nodes,
    "kube.behaviors": Behaviors,
    "kube.metrics": Metrics,
    "kube.requests": RequestsSeen,
    "kube.webhooks": Webhooks,
    "A user": User,
    "An audit": Audit,
    "An audited user": UserAudit,
}


def reference() -> str:
    """Return the text of the page."""
    parts = [
        _HEAD,
        *_class("Memkube", memkube.Memkube),
        "## Options\n",
        *_attributes(Options),
        *(part for title, cls in _SECTIONS.items() for part in _class(title, cls)),
        "## Fields of faults\n",
        *_attributes(WhichAndWhen),
        "## memkube.faults\n",
        *(_function(name, getattr(memkube.faults, name)) for name in memkube.faults.__all__ if name.islower()),
        *_class("Snapshot", memkube.Snapshot),
        *_class("ExecResult", memkube.ExecResult),
        *_class("Report", memkube.Report),
        "## Functions\n",
        *(_function(name, getattr(memkube, name)) for name in ("asgi_application", "load_snapshot", "play")),
        "## Exceptions\n",
        *_exceptions(),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _class(title: str, cls: type) -> Iterator[str]:
    yield f"## {title}\n"
    yield _prose(cls.__doc__)
    if is_dataclass(cls):
        yield from _attributes(cls)
    for name in _members(cls):
        member = inspect.getattr_static(cls, name)
        if cls is User and member.__doc__ == getattr(memkube.Memkube, name, member.__init__).__doc__:
            # Methods with the same docstring as in Memkube are documented there only.
            continue
        if isinstance(member, property):
            yield f"### {name}\n\n{_prose(member.__doc__)}"
        elif isinstance(member, FunctionType):
            yield _function(name, member)


def _members(cls: type) -> Iterator[str]:
    """Yield the public names of a class and its base classes, in the order in which they are defined."""
    known = {field.name for field in fields(cls)} if is_dataclass(cls) else set()
    seen = {name: None for base in reversed(cls.__mro__[:-1]) for name in vars(base)}
    return (name for name in seen if not name.startswith("_") and name not in known)


def _function(name: str, function: Any) -> str:
    source = ast.parse(dedent(inspect.getsource(inspect.unwrap(function)))).body[0]
    assert isinstance(source, ast.FunctionDef | ast.AsyncFunctionDef)
    source.args.args = [argument for argument in source.args.args if argument.arg != "self"]
    returned = f" -> {ast.unparse(source.returns).replace('AsyncUser', 'User')}" if source.returns else ""
    signature = f"{name}({ast.unparse(source.args)}){returned}"
    return f"### {name}\n\n```python\n{signature}\n```\n\n{_prose(inspect.getdoc(function))}"


def _attributes(cls: type) -> Iterator[str]:
    """Yield the documented attributes of a class: strings below annotations, of its base classes first."""
    for base in _bases(cls):
        source = ast.parse(inspect.getsource(base)).body[0]
        assert isinstance(source, ast.ClassDef)
        for statement, after in zip(source.body, [*source.body[1:], None], strict=True):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                value = f" = {ast.unparse(statement.value)}" if statement.value is not None else ""
                about = (
                    after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
                )
                declared = f"`{statement.target.id}: {ast.unparse(statement.annotation)}{value}`"
                yield f"- {declared}" + (f": {_line(str(about))}" if about else "")
    yield ""


def _bases(cls: type) -> list[type]:
    """Return a class and its base classes of this package, the base classes first; also those of a TypedDict."""
    bases = [base for base in getattr(cls, "__orig_bases__", cls.__bases__) if isinstance(base, type)]
    own = [base for base in bases if base.__module__.startswith("memkube.")]
    return [*(found for base in own for found in _bases(base)), cls]


def _exceptions() -> Iterator[str]:
    for name in memkube.__all__:
        exported = getattr(memkube, name)
        if isinstance(exported, type) and issubclass(exported, Exception):
            yield f"- `{name}`: {_line(exported.__doc__ or '')}"


def _line(text: str) -> str:
    return _code(" ".join(text.split()))


def _prose(docstring: str | None) -> str:
    """Return a docstring as Markdown: its paragraphs, and fenced listings instead of those after ``::``."""
    lines: list[str] = []
    listing = False
    for line in inspect.cleandoc(docstring or "").splitlines():
        if line.strip() == "::":
            lines.append("```python")
            listing = True
            continue
        if listing and line and not line.startswith("    "):
            lines = [*lines[:-1], "```", ""] if not lines[-1] else [*lines, "```", ""]
            listing = False
        if listing and not line and lines[-1] == "```python":
            continue
        lines.append(line[4:] if listing else _code(line))
    return "\n".join([*lines, "```"] if listing else lines) + "\n"


def _code(text: str) -> str:
    return text.replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(reference())
    sys.stdout.write(f"{PAGE}\n")
