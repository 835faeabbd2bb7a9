"""Whether every watcher saw every event once, in order, but for gaps that a 410 announced."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from proofs.history import Change, History, Stretch, Watched


def changes_seen(watched: Iterable[Watched]) -> list[Change]:
    """All changes that any watcher was shown, by revision: what one has missed another has not."""
    found = {change.revision: change for each in watched for stretch in each.stretches for change in stretch.changes}
    return [found[revision] for revision in sorted(found)]


def first_gap(history: History) -> int | None:
    """The first revision after which none of those who watch all keys saw what came; None where there is no such."""
    stretches = [stretch for each in history.watched if not each.prefix for stretch in each.stretches]
    reached, newest = history.begun, max(history.final.values(), default=history.begun)
    for stretch in sorted(stretches, key=lambda each: each.after):
        if stretch.after <= reached:
            reached = max(reached, stretch.until)
    return reached if reached < newest else None


def wrong_watches(history: History, changes: Sequence[Change]) -> Iterator[str]:
    """What each watcher has missed, seen twice, or seen otherwise or in another order than the others."""
    for number, watched in enumerate(history.watched):
        wanted = [change for change in changes if change.key.startswith(watched.prefix)]
        revisions = [change.revision for change in wanted]
        reached = watched.stretches[0].after if watched.stretches else history.begun
        for stretch in watched.stretches:
            if stretch.after < reached or (stretch.after > reached and not stretch.expired):
                yield f"watcher {number} went on from {stretch.after}, where it had seen everything up to {reached}"
            first, last = bisect_right(revisions, stretch.after), bisect_right(revisions, stretch.until)
            yield from (f"watcher {number} {wrong}" for wrong in _differences(stretch, wanted[first:last]))
            reached = stretch.until
        if wanted and reached < wanted[-1].revision:
            yield f"watcher {number} saw nothing after {reached}, where others saw {wanted[-1].revision}"


def _differences(stretch: Stretch, expected: Sequence[Change]) -> Iterator[str]:
    shown = list(stretch.changes)
    if shown == expected:
        return
    revisions = [change.revision for change in shown]
    known = {change.revision: change for change in expected}
    between = f"between {stretch.after} and {stretch.until}"
    if twice := [revision for revision, times in Counter(revisions).items() if times > 1]:
        yield f"saw {twice[:5]} more than once {between}"
    if any(later < earlier for earlier, later in pairwise(revisions)):
        yield f"saw events out of order {between}"
    if missed := sorted(known.keys() - revisions):
        yield f"missed {missed[:5]} {between}"
    if unlike := [change.revision for change in shown if known.get(change.revision) != change]:
        yield f"saw {unlike[:5]} otherwise than another watcher, or where it had no place, {between}"
