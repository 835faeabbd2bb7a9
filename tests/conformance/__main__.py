"""Adds the recordings that agree to the list: ``python -m tests.conformance [SUITE…]``."""

import argparse

from tests.conformance.replay import SUITES, replay
from tests.recordings.agreement import add, read_agreeing

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="tests.conformance", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    chosen = parser.parse_args().suites
    for suite in SUITES:
        if not chosen or suite.name in chosen:
            cases = suite.cases()
            lost = add(replay(suite, cases, agreeing=read_agreeing()))
            if lost:
                raise SystemExit("listed, and does not agree: " + ", ".join(lost))
