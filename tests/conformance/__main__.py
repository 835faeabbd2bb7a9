"""Adds the recordings that agree to the list: ``python -m tests.conformance [SUITE…]``.

With ``--replicas N`` each request goes to another one of N servers on one etcd than the last, and the list stays as it
is: those are named that are listed and do not agree there.
"""

import argparse
import sys

from tests.conformance.places import in_an_etcd
from tests.conformance.replay import SUITES, replay
from tests.recordings.agreement import add, read_agreeing

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="tests.conformance", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--replicas", type=int, default=0, metavar="N")
    chosen = parser.parse_args()
    agreeing = read_agreeing()
    for suite in SUITES:
        if chosen.suites and suite.name not in chosen.suites:
            continue
        cases = suite.cases()
        if chosen.replicas:
            listed = {key: case for key, case in cases.items() if key in agreeing}
            found = replay(suite, listed, agreeing=agreeing, place=in_an_etcd, replicas=chosen.replicas)
            lost = [key for key in listed if found[key]]
            sys.stdout.write(f"{suite.name}: {len(listed) - len(lost)} of {len(listed)} agree\n")
            for key in lost:
                sys.stdout.write(f"  {key}: {found[key][0]}\n")
        elif lost := add(replay(suite, cases, agreeing=agreeing)):
            raise SystemExit("listed, and does not agree: " + ", ".join(lost))
