"""Shortens the workload that revealed a bug: leaves out steps that are not needed to violate the same rule."""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

from memkube.errors import UsageError
from memkube.hunting.description import Hunt
from memkube.hunting.plan import START, Disturbance, Plan
from memkube.hunting.report import Finding

FindAgain: TypeAlias = Callable[[Plan], Sequence[Finding]]
"""Function that tries one plan with a shorter workload, and returns the findings.

It compares the plan with runs without faults of the same workload. Raises UsageError if these fail.
"""


def shorter_findings(finding: Finding, count: int, find_again: FindAgain) -> Iterator[Finding]:
    """Yield findings of the same bug, each with fewer steps of the workload than the one before.

    The first attempt leaves out all steps after the last one that the finding's run reached. Each further attempt
    leaves out one step, beginning with the last. A step is kept if the bug is not found without it. `count` is the
    number of steps of the whole workload, and `find_again` runs a plan and returns its findings.
    """
    length = len(finding.details.needs) or count
    following = {*range(finding.reached + 1, length)}
    for left_out in (following, *({position} for position in reversed(range(length)))):
        length = len(finding.details.needs) or count
        plan = plan_without(finding.details, count, left_out) if left_out and max(left_out) < length else None
        found = None if plan is None else _found_again(finding, plan, find_again)
        if found is not None:
            finding = found
            yield found


def plan_without(plan: Plan, count: int, left_out: AbstractSet[int]) -> Plan | None:
    """Return the plan for a workload without some of the steps that the plan runs now.

    `left_out` has the positions of these steps among the steps that the plan runs, and `count` is the number of steps
    of the whole workload. Return None if no step would be left, or if two steps of a disturbance (an injected fault),
    such as its beginning and its end, would become the same step.
    """
    before = plan.needs or [*range(count)]
    kept = [position for position in range(len(before)) if position not in left_out]
    disturbances = [_renumbered(one, kept) for one in plan.disturbances]
    changed = {
        "needs": [before[position] for position in kept],
        "out_of": count,
        "disturbances": [one for one in disturbances if one is not None],
    }
    return plan.model_copy(update=changed) if kept and None not in disturbances else None


def reduced(hunt: Hunt, plan: Plan) -> Hunt:
    """Return the hunt with only the steps of the workload that the plan needs.

    Raises UsageError if the number of steps in the workload is another one than when the plan was made.
    """
    if not plan.needs:
        return hunt
    count = len(hunt.workload)
    if count != plan.out_of or max(plan.needs) >= count:
        raise UsageError(f"the plan does not fit the workload of {count} steps: it {plan.needed_steps}. Hunt again")
    return hunt.model_copy(update={"workload": [hunt.workload[step] for step in plan.needs]})


def _renumbered(disturbance: Disturbance, kept: Sequence[int]) -> Disturbance | None:
    """Return `disturbance` with step numbers that count only the steps in `kept`.

    A step that is left out is replaced by the last kept step before it. Return None if two steps of the
    disturbance, such as its beginning and its end, would then become the same step.
    """
    old = [number for number in (disturbance.after, disturbance.until, disturbance.view) if number is not None]
    new: dict[str, Any] = {
        name: START + sum(1 for position in kept if position <= number)
        for name in ("after", "until", "view")
        if (number := getattr(disturbance, name)) is not None
    }
    return disturbance.model_copy(update=new) if len({*new.values()}) == len({*old}) else None


def _found_again(finding: Finding, plan: Plan, find_again: FindAgain) -> Finding | None:
    """Try a plan with fewer steps. Return the finding about the same bug as `finding`; None if there is none.

    `find_again` runs a plan and returns its findings. The bug is the same if the operator violates the same rule for at
    least one of the same objects.
    """
    try:
        found = find_again(plan)
    except UsageError:
        return None
    objects = {*finding.objects}
    same = (one for one in found if one.oracle == finding.oracle)
    return next((one for one in same if objects & {*one.objects} or not objects), None)
