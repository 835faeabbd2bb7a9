"""Adds the sessions that agree to the list: ``python -m tests.kubectl``."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tests.kubectl.replay import RECORDED_WITH, differences, kubectl, load_sessions, servers
from tests.recordings.agreement import add

if __name__ == "__main__":
    program = kubectl(RECORDED_WITH)
    if program is None:
        raise SystemExit(f"there is no kubectl {RECORDED_WITH} on PATH")
    with tempfile.TemporaryDirectory() as folder, servers(Path(folder)) as kubeconfigs, ThreadPoolExecutor(4) as pool:
        sessions = load_sessions()
        found = pool.map(partial(differences, program=program, kubeconfigs=kubeconfigs), sessions.values())
        lost = add(dict(zip(sessions, found, strict=True)))
    if lost:
        raise SystemExit("listed, and does not agree: " + ", ".join(lost))
