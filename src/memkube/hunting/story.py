"""Data about the run that confirmed a bug, for other programs and the web page: its timeline and its wrong objects."""

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from memkube.apimachinery.model import Document
from memkube.hunting.end_state import SERVER_KINDS, Reference, State
from memkube.hunting.history import Change
from memkube.hunting.judging import Verdict
from memkube.hunting.plan import Plan
from memkube.hunting.run import Observation, Sent

_MOST_MOMENTS: Final = 400
_MOST_OBJECTS: Final = 20
_MOST_LINES: Final = 60
_HIDDEN: Final = ("managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "selfLink")
_READS: Final = frozenset({"get", "list", "watch"})


@dataclass(frozen=True, slots=True)
class Moment:
    """An entry of the timeline: a request of an operator, a change of an object, or the end of a step.

    Steps are those of the hunt's workload: the changes and commands that hunt.yaml lists.
    """

    seconds: float
    """Seconds since the start of the run."""
    who: str
    """``saw`` for a read or watch of the operator, ``did`` for a write, ``cluster`` for a change of an object, and
    ``workload`` for the end of a step."""
    text: str
    answer: str = ""
    """Status code of the response; ``no answer`` if there was none, and "" if this is no request."""
    fault: str = ""
    """Name of the fault that was applied to the request; empty if there was none."""
    lines: Sequence[str] = ()
    """Changed lines of the object, with ``+`` and ``-``."""


@dataclass(frozen=True, slots=True)
class LeftObject:
    """An object whose final state differs from that in the runs without faults."""

    name: str
    lines: Sequence[str]
    """Lines of the object in YAML. ``-`` marks lines that only the runs without faults have, ``+`` those of this run.
    """


@dataclass(frozen=True, slots=True)
class Story:
    """The run that confirmed a bug: the violated rules, a timeline, and the objects that differ at the end."""

    violations: Mapping[str, Sequence[str]]
    """Descriptions of the violations, by the name of the rule."""
    timeline: Sequence[Moment] = ()
    left: Sequence[LeftObject] = ()
    output: Sequence[str] = field(default_factory=list)
    """Last lines of the operator's output."""


def story_of(
    plan: Plan, verdicts: Sequence[Verdict], observed: Observation, references: Mapping[int, Reference]
) -> Story:
    """Return data about a run with a plan: violated rules, a timeline, and the objects that differ at the end.

    `verdicts` are the violations, and `observed` is what was recorded. `references` has the objects after each step of
    the runs without faults.
    """
    moments = sorted(_moments(plan, observed), key=lambda moment: moment.seconds)
    step = observed.wrong_step
    names = {name for verdict in verdicts for name in verdict.objects}
    left = []
    if step is not None and step in references:
        left = [moment for moment in _left(references[step], observed.states[step]) if moment.name in names]
    violations = {verdict.oracle: list(verdict.lines[:_MOST_LINES]) for verdict in verdicts}
    output = observed.output.strip().splitlines()[-20:]
    return Story(violations, _shortened(moments), left[:_MOST_OBJECTS], output)


def _shortened(moments: list[Moment]) -> list[Moment]:
    """Return at most `_MOST_MOMENTS` entries of a timeline.

    From a longer timeline, reads without a fault are removed first, and then entries at the end.
    """
    if len(moments) > _MOST_MOMENTS:
        moments = [one for one in moments if one.who != "saw" or one.fault]
    return moments[:_MOST_MOMENTS]


def _moments(plan: Plan, observed: Observation) -> Iterator[Moment]:
    for request in observed.sent:
        yield _request(request)
    for change in observed.changes:
        if change.kind not in SERVER_KINDS and change.seconds >= observed.started:
            seconds = round(change.seconds - observed.started, 3)
            text = f"{change.kind} {change.name} is {change.what}"
            yield Moment(seconds, "cluster", text, lines=list(_changed_lines(change)))
    for number, seconds in enumerate(observed.step_ends):
        text = f"step {plan.shown_number(number - 1)} of the workload is over" if number else "the operator has started"
        yield Moment(round(seconds, 3), "workload", text)


def _request(request: Sent) -> Moment:
    text = f"{request.verb} {request.resource} {request.name}".rstrip()
    answer = f"{request.code}" if request.code else "no answer"
    return Moment(round(request.seconds, 3), "saw" if request.verb in _READS else "did", text, answer, request.fault)


def _changed_lines(change: Change) -> Sequence[str]:
    """Return the changed lines of an updated object; none for a created or deleted object."""
    if change.what != "updated" or change.previous is None:
        return []
    return _diff(_visible(change.previous), _visible(change.document), context=0)


def _left(reference: Reference, found: State) -> Iterator[LeftObject]:
    for key in sorted({*reference.state, *found}):
        before, after = (reference.comparable(key, state.get(key, ())) for state in (reference.state, found))
        if lines := _diff(before, after, context=2):
            yield LeftObject(f"{key[0]} {key[1]}", lines)


def _visible(document: Document) -> Document:
    metadata = {name: value for name, value in document["metadata"].items() if name not in _HIDDEN}
    return {**document, "metadata": metadata}


def _diff(before: Any, after: Any, context: int) -> list[str]:
    """Return a unified diff of two values in YAML, with `context` equal lines around each change, without headers."""
    lines = list(difflib.unified_diff(_yaml(before), _yaml(after), n=context, lineterm=""))[2:]
    return [line for line in lines if not line.startswith("@@")][:_MOST_LINES]


def _yaml(value: Any) -> list[str]:
    if value == []:
        return []
    # JSON turns the types of stored documents into plain dictionaries and lists, which YAML can write.
    plain = json.loads(json.dumps(value[0] if isinstance(value, list) and len(value) == 1 else value))
    text: str = yaml.dump(plain, Dumper=yaml.CSafeDumper, sort_keys=True)
    return text.splitlines()
