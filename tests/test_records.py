import copy
import dataclasses
import inspect
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memkube
from memkube.records import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    notes: list[str] = dataclasses.field(default_factory=list, hash=False, repr=False)


@dataclass(frozen=True, slots=True)
class Far(Point):
    z: int = 0
    length: int = dataclasses.field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", self.x + self.y + self.z)


@dataclass(slots=True)
class Counter:
    count: int = 0
    total: int = dataclasses.field(default=7, init=False)


@dataclass(slots=True, eq=False)
class Task:
    name: str


@dataclass()
class Broken(Exception):
    reason: str

    def __str__(self) -> str:
        return f"broken: {self.reason}"


def _like(cls: Any, **options: Any) -> Any:
    """What the standard library makes of the same fields."""
    annotations = {name: Any for base in reversed(cls.__mro__) for name in vars(base).get("__annotations__", {})}
    given = [(field.name, annotations[field.name], _copied(field)) for field in dataclasses.fields(cls)]
    own = {name: vars(cls)[name] for name in ("__post_init__",) if name in vars(cls)}
    return dataclasses.make_dataclass(cls.__name__, given, namespace=own, **options)


def _copied(field: "dataclasses.Field[Any]") -> Any:
    names = ("default", "default_factory", "init", "repr", "hash", "compare")
    return dataclasses.field(**{name: getattr(field, name) for name in names})


_FROZEN: dict[str, Any] = {"frozen": True, "slots": True}
_CASES: list[tuple[Any, Any, list[Callable[[Any], Any]]]] = [
    (Point, _like(Point, **_FROZEN), [lambda c: c(1), lambda c: c(y=1, x=2), lambda c: c(1, 2, ["a"])]),
    (Far, _like(Far, **_FROZEN), [lambda c: c(1), lambda c: c(1, 2, [], 4), lambda c: c(1, z=5)]),
    (Counter, _like(Counter, slots=True), [lambda c: c(), lambda c: c(3)]),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs", "made"), [(o, t, m) for o, t, makers in _CASES for m in makers])
def test_an_object_is_what_the_standard_library_makes(ours: Any, theirs: Any, made: Callable[[Any], Any]) -> None:
    one, other = made(ours), made(theirs)
    assert dataclasses.asdict(one) == dataclasses.asdict(other)
    assert repr(one) == repr(other)
    assert one == made(ours)
    assert one != other
    assert dataclasses.replace(one) == one
    assert copy.copy(one) == copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one
    assert (type(one).__hash__ is None) == (type(other).__hash__ is None)


def test_frozen_ones_are_told_apart_and_hashed_by_their_fields() -> None:
    assert hash(Point(1, 2, ["a"])) == hash(Point(1, 2)) == hash((1, 2))
    assert Point(1, 2, ["a"]) != Point(1, 2)
    assert len({Far(1, 2), Far(1, 2), Point(1, 2)}) == 2


def test_those_that_do_not_compare_are_told_apart_by_identity() -> None:
    one = Task("a")
    assert one != Task("a")
    assert len({one, Task("a")}) == 2


@pytest.mark.parametrize("words", [(), (1, 2, [], 4, 5), ("x", "y", "z", "z", "z")])
def test_wrong_arguments_are_refused_in_the_same_words(words: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError) as ours:
        Point(*words)
    with pytest.raises(TypeError) as theirs:
        _like(Point, **_FROZEN)(*words)
    assert str(ours.value) == str(theirs.value)


def test_what_is_frozen_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2  # type: ignore[misc]  # that is what is tried
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    assert not hasattr(point, "__dict__")


def test_a_subclass_that_says_more_calls_what_it_inherits() -> None:
    class Named(Task):
        def __init__(self) -> None:
            super().__init__("named")
            self.more = 1

    assert (Named().name, Named().more) == ("named", 1)


def test_an_error_keeps_its_fields_and_its_words() -> None:
    with pytest.raises(Broken, match="broken: rope") as caught:
        raise Broken("rope")
    assert (caught.value.reason, caught.value.args) == ("rope", ("rope",))


def test_fields_are_matched_by_their_place() -> None:
    match Point(1, 5):
        case Point(1, y):
            assert y == 5
        case _:
            pytest.fail("not matched")


def test_its_signature_is_that_of_the_standard_library() -> None:
    theirs = inspect.signature(_like(Point, **_FROZEN)).parameters
    ours = inspect.signature(Point).parameters
    assert list(ours) == list(theirs)
    assert (ours["y"].default, ours["y"].kind) == (2, theirs["y"].kind)
    assert ours["x"].default is theirs["x"].default


def test_a_method_is_made_once_and_by_its_first_caller() -> None:
    @dataclass(frozen=True, slots=True)
    class Late:
        word: str

    waiting: Any = vars(Late)["__init__"]
    assert Late("a").word == "a"
    made: Any = vars(Late)["__init__"]
    assert made is not waiting
    assert Late("b").word == "b"
    assert vars(Late)["__init__"] is made


def test_the_package_has_no_dataclasses_whose_methods_are_made_at_once() -> None:
    """But for ordered ones, which have methods that are not made here."""
    sources = {path: path.read_text() for path in Path(memkube.__file__).parent.rglob("*.py")}
    imported = r"^from dataclasses import .*\bdataclass\b"
    standard = {path for path, text in sources.items() if re.search(imported, text, re.MULTILINE)}
    assert all("order=True" in sources[path] for path in standard)
