"""Checks that every watcher received every event once and in order, except for gaps announced by a 410."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from proofs.history import Change, History, Stretch, Watched


def changes_seen(watched: Iterable[Watched]) -> list[Change]:
    """Return all changes that any watcher received, by revision."""
    found = {change.revision: change for each in watched for stretch in each.stretches for change in stretch.changes}
    return [found[revision] for revision in sorted(found)]


def first_gap(history: History) -> int | None:
    """Return the first revision after which no watcher of all keys received the changes; None if there is no gap."""
    stretches = [stretch for each in history.watched if not each.prefix for stretch in each.stretches]
    reached, newest = history.begun, max(history.final.values(), default=history.begun)
    for stretch in sorted(stretches, key=lambda each: each.after):
        if stretch.after <= reached:
            reached = max(reached, stretch.until)
    return reached if reached < newest else None


def wrong_watches(history: History, changes: Sequence[Change]) -> Iterator[str]:
    """Yield for each watcher the events that it missed, or that it received twice, out of order or changed."""
    for number, watched in enumerate(history.watched):
        wanted = [change for change in changes if change.key.startswith(watched.prefix)]
        revisions = [change.revision for change in wanted]
        reached = watched.stretches[0].after if watched.stretches else history.begun
        for stretch in watched.stretches:
            if stretch.after < reached or (stretch.after > reached and not stretch.expired):
                yield f"watcher {number} continued from {stretch.after}, but had seen everything up to {reached}"
            first, last = bisect_right(revisions, stretch.after), bisect_right(revisions, stretch.until)
            yield from (f"watcher {number} {wrong}" for wrong in _differences(stretch, wanted[first:last]))
            reached = stretch.until
        if wanted and reached < wanted[-1].revision:
            yield f"watcher {number} saw nothing after {reached}, but other watchers saw {wanted[-1].revision}"


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
        yield f"saw {unlike[:5]} differently from other watchers, or unexpectedly, {between}"
