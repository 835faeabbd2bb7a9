"""Adds the recordings that agree to the list: ``python -m tests.conformance [SUITE…]``.

With ``--engine``, the recordings are replayed on another storage engine. With ``--replicas N``, successive requests go
to different servers of N on the same storage. In both cases the list is not changed.
"""

import argparse
from functools import partial

from proofs.engines import ENGINES, storage

from tests.conformance.replay import SUITES, replay
from tests.recordings.agreement import add, lost_of, read_agreeing

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="tests.conformance", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0], help="where objects are kept (%(default)s)")
    parser.add_argument("--replicas", type=int, default=1, metavar="N", help="how many servers there are (%(default)s)")
    given = parser.parse_args()
    as_listed = given.engine == ENGINES[0] and given.replicas == 1
    for suite in SUITES:
        if not given.suites or suite.name in given.suites:
            agreeing = read_agreeing()
            place = partial(storage, given.engine)
            differences = replay(suite, suite.cases(), agreeing=agreeing, place=place, replicas=given.replicas)
            lost = add(differences) if as_listed else lost_of(differences, agreeing)
            if lost:
                raise SystemExit("listed, and does not agree: " + ", ".join(lost))
