"""The objects at the end of a run, reduced to the parts that are equal in all runs of a correct operator."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document
from memkube.hunting.election import ANNOTATION, is_record

Key: TypeAlias = tuple[str, str]
"""Kind of an object, and ``NAMESPACE/NAME``. A ``*`` in the name replaces a generated suffix."""
State: TypeAlias = Mapping[Key, Sequence[Document]]
Path: TypeAlias = tuple[str, ...]

SERVER_KINDS: Final = frozenset({"APIService", "CSINode", "Endpoints", "EndpointSlice", "IPAddress", "Node"})
"""Kinds of objects that the server's controllers write."""
_IGNORED: Final = SERVER_KINDS | {"ControllerRevision", "Event"}
"""Kinds that are not compared, because the server's controllers derive their objects from other objects or from time.

Objects of these kinds, except Events, are compared if only clients have written them.
"""
_SERVERS_MANAGERS: Final = frozenset({"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet"})
"""Field managers of the server's own writes."""
_BUILT_IN: Final = re.compile(
    r"(v1|apps/.*|batch/.*|autoscaling/.*|policy/.*|storage\.k8s\.io/.*|networking\.k8s\.io/.*)"
)
_METADATA: Final = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink")
_UNCOMPARED: Final = ("deployment.kubernetes.io/", ANNOTATION)
"""Prefixes of annotations that are not compared: the revisions of Deployments, and the record of leader election."""
_REVISION: Final = ("/metadata/resourceVersion", "/metadata/managedFields")
_UID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?")
_TOKEN_VOLUME: Final = re.compile(r"\bkube-api-access-[a-z0-9]{5}\b")
"""Names of the volumes with a token that admission adds to pods. They have random suffixes."""
ABSENT: Final = "absent"
"""Text that `value_at` returns if an object does not have the field."""
KOPF: Final = "kopf.zalando.org/"
"""Prefix of the annotations and finalizers of kopf."""
KOPF_HANDLED: Final = f"{KOPF}last-handled-configuration"
"""Annotation in which kopf notes that all its handlers have succeeded."""
_NOTHING: Final = object()
_MASKED: Final = "(differs from run to run)"
_NUMBER: Final = "(number of entries)"
_MOST_VALUES: Final = 3
"""Maximum number of different values that a field can get while a run waits, if its last value is to be compared."""


class Difference(NamedTuple):
    """A difference between the end state of a run with faults and the end states of the runs without faults."""

    key: Key
    what: str
    is_missing: bool = False
    """True if fewer objects with this key exist than in the runs without faults."""
    path: Path = ()
    """Path of the field whose values differ; empty if the number of objects with this key differs."""

    def __str__(self) -> str:
        return f"{self.key[0]} {self.key[1]}: {self.what}"


def places(differences: Iterable[Difference]) -> set[tuple[Key, Path]]:
    """Return which objects and fields differ."""
    return {(one.key, one.path) for one in differences}


def end_state(objects: Sequence[Document], ignored: Sequence[str]) -> State:
    """Return the objects at the end of a run, without the fields that differ from run to run.

    The fields at the JSON pointers in `ignored` are removed too.
    """
    scheduled = {one["metadata"]["uid"] for one in objects if one.get("kind") == "Job" and _has_owner(one, "CronJob")}
    found = [one for one in objects if not _is_ignored(one) and not _is_scheduled(one, scheduled)]
    uids = {str(one["metadata"]["uid"]) for one in objects}
    state: dict[Key, list[Document]] = {}
    for document in found:
        plain = _plain(document, uids)
        for pointer in ignored:
            _remove(plain, pointer.split("/")[1:])
        state.setdefault((str(document["kind"]), anonymous_name(document)), []).append(plain)
    return {key: sorted(documents, key=_sort_key) for key, documents in state.items()}


def is_heartbeat(document: Document, previous: Document, ignored: Sequence[str]) -> bool:
    """Return True if an object differs from its previous revision only in times, uids, and ignored fields.

    `ignored` has the JSON pointers to these fields. An update that changes nothing else does not show that the operator
    is still working: some operators write the time of their last check into an object every few seconds.
    """
    one, other = (json.loads(json.dumps(each)) for each in (document, previous))
    for each in (one, other):
        for pointer in (*_REVISION, *ignored):
            _remove(each, pointer.split("/")[1:])
    return bool(_without_chance(one) == _without_chance(other))


@dataclass(slots=True)
class Reference:
    """The objects at the end of the runs without faults, with which those of other runs are compared."""

    state: State
    unstable: set[Key] = field(default_factory=set)
    """Keys of objects that only some runs without faults have, or have in different numbers. They are not compared."""
    masked: set[tuple[str, Path]] = field(default_factory=set)
    """Kinds and field paths whose values differ even between the runs without faults. They are not compared."""
    counted: set[tuple[str, Path]] = field(default_factory=set)
    """Kinds and paths of maps with keys that differ between the runs without faults, but equally many.

    Only the numbers of their entries are compared.
    """

    variations: dict[tuple[Key, Path], str] = field(default_factory=dict)
    """Texts with the values of the fields, or the numbers of the objects, that differ between the runs without faults.
    """
    chance: set[str] = field(default_factory=set)
    """Kinds whose objects get different names in each run, because the operator generates the names."""
    named: set[Key] = field(init=False)
    """Keys of the objects that exist in every run without faults."""

    def __post_init__(self) -> None:
        """Set `named` to the keys of the objects in the first run without faults.

        `learn` removes the keys that other runs lack.
        """
        self.named = {*self.state}

    def learn(self, other: State) -> None:
        """Compare another run without faults with the first one, and exclude the differences from later comparisons."""
        missing, further = {*self.named} - {*other}, {*other} - {*self.state}
        self.chance |= {kind for kind, _ in missing} & {kind for kind, _ in further}
        self.named &= {*other}
        known, shown = self._grouped(self.state), self._grouped(other)
        for key in sorted({*known, *shown}):
            one, two = known.get(key, ()), shown.get(key, ())
            if len(one) != len(two):
                self.unstable.add(key)
                self.variations[key, ()] = f"{key[0]} {key[1]}: {_numbers(len(one), len(two))}"
                continue
            for first, second in zip(one, two, strict=True):
                for path in _without_random_keys(first, second):
                    self.variations[key, path] = self._learned(key, path, first, second)

    def _learned(self, key: Key, path: Path, first: Document, second: Document) -> str:
        """Exclude a field that differs between two runs without faults. Return a text that says what is not compared.

        `key` is that of the object; `first` and `second` are the object in both runs.
        """
        place, name, about = (key[0], path), ".".join(path), f"{key[0]} {key[1]}"
        numbers = {_size(document, path) for document in (first, second)}
        if place not in self.masked and len(numbers) == 1 and None not in numbers:
            self.counted.add(place)
            return f"{about}: the keys and values in {name}; only their number is"
        self.counted.discard(place)
        self.masked.add(place)
        return f"{about}: {name} is {value_at(first, path)} in one run, {value_at(second, path)} in another"

    def differences(self, state: State) -> list[Difference]:
        """Return the differences between the end state of a run with faults and this reference state."""
        found: list[Difference] = []
        known, shown = self._grouped(self.state), self._grouped(state)
        for key in sorted({*known, *shown} - self.unstable):
            expected, actual = known.get(key, ()), shown.get(key, ())
            if len(expected) != len(actual):
                found.append(Difference(key, _counted(len(expected), len(actual)), len(actual) < len(expected)))
                continue
            for first, second in zip(self.comparable(key, expected), self.comparable(key, actual), strict=True):
                for path in _differing(first, second, ()):
                    if self._is_masked(key[0], path):
                        continue
                    was, is_now = value_at(first, path), value_at(second, path)
                    if not _is_bookkeeping(path, was, is_now):
                        what = f"{'.'.join(path)} is {is_now}, without the fault {was}"
                        found.append(Difference(key, what, path=path))
        return found

    def _grouped(self, state: State) -> State:
        """Return the objects in `state`, with a common key for objects whose names differ between runs.

        Objects of the kinds in `chance` have names that the operator generates. Those of one kind and namespace get one
        common key, except the objects in `named`: these have the same name in every run without faults. They and all
        other objects keep their keys.
        """
        if not self.chance:
            return state
        grouped: dict[Key, list[Document]] = {}
        for key, documents in state.items():
            if key[0] not in self.chance or key in self.named:
                grouped[key] = list(documents)
                continue
            other = _common_key(key)
            nameless = [{**one, "metadata": {**one["metadata"], "name": _MASKED}} for one in documents]
            grouped[other] = sorted([*grouped.get(other, ()), *nameless], key=_sort_key)
        return grouped

    def comparable(self, key: Key, documents: Sequence[Document]) -> list[Document]:
        """Return sorted copies of `documents`, the objects with this key, for comparing them with another run's.

        Values that differ even between runs without faults are replaced by placeholders.
        """
        masked = [path for kind, path in self.masked if kind == key[0]]
        counted = [path for kind, path in self.counted if kind == key[0]]
        copies = [json.loads(json.dumps(document)) for document in documents]
        for copy in copies:
            for path in counted:
                _replace(copy, path, {_NUMBER: _size(copy, path)})
            for path in masked:
                _replace(copy, path, _MASKED)
        return sorted(copies, key=_sort_key)

    def _is_masked(self, kind: str, path: Path) -> bool:
        return any(masked == path[: len(masked)] for other, masked in self.masked if other == kind)


class RepeatedChanges:
    """Finds the fields that get new values again and again while a run waits, such as counters and times of checks.

    They depend on time alone, so that they cannot be compared.
    """

    def __init__(self, found: set[tuple[str, Path]]) -> None:
        """Prepare to read the objects of one run. The kinds and paths of the fields are added to `found`."""
        self._found = found
        self._step: int | None = None
        self._last: State = {}
        self._values: dict[tuple[Key, Path], set[str]] = {}

    def read(self, step: int, state: State) -> None:
        """Compare `state`, the objects after a step, with those of the last call for this step."""
        last, self._last = self._last, state
        if step != self._step:
            self._step, self._values = step, {}
            return
        if state == last:
            return
        for key, documents in state.items():
            before = last.get(key, ())
            if len(documents) == len(before) == 1:
                for path in _differing(before[0], documents[0], ()):
                    values = self._values.setdefault((key, path), set())
                    values |= {value_at(before[0], path), value_at(documents[0], path)}
                    if len(values) > _MOST_VALUES:
                        self._found.add((key[0], path))


def _is_bookkeeping(path: Path, without_fault: str, value: str) -> bool:
    """Return True if a field only shows what the operator has done: a correct operator may do more after a fault.

    This is so for the last configuration that kopf has handled, and for a number in an annotation that does not exist
    in the runs without faults, such as a count of retries.
    """
    if path[:2] != ("metadata", "annotations"):
        return False
    return path[-1] == KOPF_HANDLED or (without_fault == ABSENT and value.strip('"').isdigit())


def _common_key(key: Key) -> Key:
    """Return the key under which objects are compared whose names differ between runs."""
    return key[0], f"{key[1].rpartition('/')[0]}/(a name that differs)".lstrip("/")


def documents_of(state: State, key: Key) -> list[Document]:
    """Return the objects of a difference with this key.

    If it is the common key of objects whose names differ between runs, return all of this kind and namespace.
    """
    return [one for other, found in state.items() if key in (other, _common_key(other)) for one in found]


def _counted(expected: int, actual: int) -> str:
    if not actual:
        return "does not exist, without the fault it does"
    if not expected:
        return "exists, without the fault it does not"
    return f"there are {actual}, without the fault {expected}"


def _numbers(one: int, two: int) -> str:
    return f"there {'is' if one == 1 else 'are'} {one} in one run, {two} in another"


def _is_ignored(document: Document) -> bool:
    is_derived = document.get("kind") in _IGNORED and not _is_written_by_others(document)
    return is_derived or is_record(document) or _is_superseded(document)


def _is_written_by_others(document: Document) -> bool:
    """Return True if an object is not an Event, and was written by clients but by none of the server's controllers."""
    managers = {entry.get("manager") for entry in document["metadata"].get("managedFields") or ()}
    return document["kind"] != "Event" and bool(managers) and not managers & _SERVERS_MANAGERS


def _is_superseded(document: Document) -> bool:
    """Return True for a ReplicaSet that a Deployment keeps, scaled to zero, as a revision of its history.

    Such ReplicaSets are not compared. There may be fewer of them in a run with faults, because the operator did not see
    all states of its custom resource, and this is no bug.
    """
    return _is_of_deployment(document) and document.get("spec", {}).get("replicas") == 0


def _is_scheduled(document: Document, jobs: AbstractSet[str]) -> bool:
    """Return True for a Job of a CronJob and for its Pods, which depend on the time of day.

    `jobs` are the uids of all such Jobs.
    """
    metadata = document["metadata"]
    return metadata["uid"] in jobs or any(one.get("uid") in jobs for one in metadata.get("ownerReferences") or ())


def _is_of_deployment(document: Document) -> bool:
    return document.get("kind") == "ReplicaSet" and _has_owner(document, "Deployment")


def _has_owner(document: Document, kind: str) -> bool:
    """Return True if an object has an owner of this kind."""
    return any(one.get("kind") == kind for one in document["metadata"].get("ownerReferences") or ())


def _plain(document: Document, uids: set[str]) -> Document:
    copied: Document = json.loads(json.dumps(document))
    metadata = copied["metadata"]
    status = copied.get("status")
    if isinstance(status, dict) and "observedGeneration" in status:
        status["observedGeneration"] = status["observedGeneration"] == metadata.get("generation")
    for name in _METADATA:
        metadata.pop(name, None)
    if metadata.get("generateName"):
        metadata.pop("name", None)
    if "deletionTimestamp" in metadata:
        metadata["deletionTimestamp"] = True
        metadata.pop("deletionGracePeriodSeconds", None)
    if _is_of_deployment(copied):
        # The Deployment controller copies annotations of the Deployment, and does not remove them again. They depend
        # on earlier states, so they are not compared.
        metadata.pop("annotations", None)
    annotations = metadata.get("annotations") or {}
    metadata["annotations"] = {name: one for name, one in annotations.items() if not name.startswith(_UNCOMPARED)}
    for reference in metadata.get("ownerReferences") or ():
        reference["uid"] = "of an object that exists" if reference.get("uid") in uids else "of an object that is gone"
    if _BUILT_IN.fullmatch(str(copied.get("apiVersion"))):
        copied.pop("status", None)
    if copied.get("kind") == "Pod":
        copied.get("spec", {}).pop("nodeName", None)
    simplified: Document = _without_chance(copied)
    return simplified


def _without_chance(value: Any) -> Any:
    """Replace random parts of a JSON value with placeholders.

    These are the uids and times in strings, the uids in keys, and the names of volumes with tokens.
    """
    if isinstance(value, dict):
        return _with_plain_keys({key: _without_chance(item) for key, item in value.items()})
    if isinstance(value, list):
        return [_without_chance(item) for item in value]
    if isinstance(value, str):
        return _TOKEN_VOLUME.sub("kube-api-access-*", _TIME.sub("(a time)", _UID.sub("(a uid)", value)))
    return value


def _with_plain_keys(value: dict[str, Any]) -> dict[str, Any]:
    """Replace each uid in the keys of a map with a placeholder, and append a number to the key.

    The keys are numbered in the order of their sorted values, so that maps with different uids and the same values
    become equal. This is necessary because some operators use uids of custom resources as keys of a ConfigMap.
    """
    random = [key for key in value if _UID.search(key)]
    if not random:
        return value
    plain = {key: item for key, item in value.items() if key not in random}
    for number, key in enumerate(sorted(random, key=lambda one: json.dumps(value[one], sort_keys=True))):
        plain[f"{_UID.sub('(a uid)', key)} {number}"] = value[key]
    return plain


def _without_random_keys(one: Document, other: Document) -> list[Path]:
    """Return the paths of the fields in which two documents differ.

    If each of two maps has keys that the other lacks, the keys are random: return the path of the map instead.
    """
    paths = [*_differing(one, other, ())]
    alone = [{path[:-1] for path in paths if value_at(each, path) == ABSENT} for each in (one, other)]
    random = {parent for parent in alone[0] & alone[1] if parent and parent != ("metadata",)}
    return list(dict.fromkeys(path[:-1] if path[:-1] in random else path for path in paths))


def _differing(one: Any, other: Any, path: Path) -> Iterator[Path]:
    """Yield the paths of the fields in which two JSON documents differ.

    For two lists of different lengths, yield only the path of the list.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted({*one, *other}):
            if name not in one or name not in other:
                yield (*path, name)
            else:
                yield from _differing(one[name], other[name], (*path, name))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (first, second) in enumerate(zip(one, other, strict=True)):
            yield from _differing(first, second, (*path, f"{number}"))
    elif one != other:
        yield path


def value_at(document: Any, path: Path) -> str:
    """Return the value at a path as JSON text; ``absent`` if there is no value."""
    value = _found(document, path)
    return ABSENT if value is _NOTHING else json.dumps(value)


def _found(document: Any, path: Path) -> Any:
    """Return the value at a path; `_NOTHING` if there is no value."""
    value = document
    for name in path:
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return _NOTHING
    return value


def _size(document: Document, path: Path) -> int | None:
    """Return the number of entries of the map at a path; None if there is no map."""
    value = _found(document, path)
    return len(value) if isinstance(value, dict) else None


def _replace(document: Document, path: Path, new: Any) -> None:
    """Replace the value at a path; do nothing if there is no value."""
    parent, last = _found(document, path[:-1]), path[-1] if path else ""
    if isinstance(parent, dict) and last in parent:
        parent[last] = new
    elif isinstance(parent, list) and last.isdigit() and int(last) < len(parent):
        parent[int(last)] = new


def _remove(document: Any, names: Sequence[str]) -> None:
    """Remove the value at a JSON pointer, with the parts `names`, from a document.

    Do nothing if the document has no such value.
    """
    value = document
    for name in names[:-1]:
        value = value.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(value, dict) else None
    if isinstance(value, dict) and names:
        value.pop(names[-1].replace("~1", "/").replace("~0", "~"), None)


def _sort_key(document: Document) -> str:
    return json.dumps(document, sort_keys=True)


def anonymous_name(document: Document) -> str:
    """Return the namespace and name of an object, with ``*`` for a uid and for the part that the server generated."""
    metadata = document["metadata"]
    prefix = metadata.get("generateName")
    name = f"{prefix}*" if prefix and metadata["name"].startswith(prefix) else metadata["name"]
    name = _UID.sub("*", name)
    return f"{metadata.get('namespace', '')}/{name}".lstrip("/")
