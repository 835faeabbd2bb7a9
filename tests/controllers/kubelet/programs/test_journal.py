"""Processes that are saved at any time, and continue after being restored from a file."""

from datetime import UTC, datetime, timedelta

import orjson
import pytest

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.controllers.kubelet.containers.behavior import ContainerBehavior, LogBehavior
from memkube.controllers.kubelet.containers.log import ContainerLog
from memkube.controllers.kubelet.containers.process import Command, Process, program_of
from memkube.controllers.kubelet.programs.files import Files
from memkube.controllers.kubelet.programs.inodes import Contents, Inode, SharedVolume
from memkube.controllers.kubelet.programs.journal import restored_contents, saved_contents
from memkube.controllers.kubelet.programs.program import Session
from memkube.controllers.kubelet.programs.variables import Environment
from memkube.snapshots.files import as_json

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
NOTHING = ContainerBehavior()


class PlayedContainer:
    """A container's process with its log and files."""

    def __init__(self, script: str, behavior: ContainerBehavior = NOTHING, own: Contents | None = None) -> None:
        container = Container(name="main", image="busybox", command=["sh", "-c", script], tty=False)
        self.shared: Contents = {}
        self.files = Files({"/etc/config": b"mounted\n"}, {"/shared": SharedVolume(self.shared)}, own=own)
        session = Session(Environment({"NAME": "world"}), "host", self.files, lambda: NOW)
        self.log = ContainerLog(10**6, 10**4)
        self.process = Process(
            lambda process: program_of(Command.of(container), behavior, 2, session, process),
            NOW,
            self.log,
            session.traps,
        )
        self.script, self.behavior = script, behavior

    def again(self) -> "PlayedContainer":
        """Return the container as restored from its saved state."""
        kept = [self.process.saved(), self.log.saved(), *map(saved_contents, (self.files.own, self.shared))]
        process, log, own, shared = orjson.loads(orjson.dumps(kept, as_json))
        other = PlayedContainer(self.script, self.behavior, restored_contents(own))
        other.shared.update(restored_contents(shared))
        other.log.restore(log)
        other.process.restore(process)
        return other

    def happen(self, second: int) -> None:
        """Apply the external events of a second: input, changed files, and signals."""
        now = NOW + timedelta(seconds=second)
        self.shared["others"] = Inode(bytearray(b"%d\n" % second))
        if second % 4 == 1:
            self.process.feed(b"line %d\nhalf" % second, now)
        if second == 9:
            self.process.signal("TERM", now)
        if second == 11:
            self.process.interrupt(now)
        self.process.advance(now)

    def end(self) -> Document:
        lines = [(str(line.written), line.stream, line.data) for line in self.log._lines]
        return {"exit": self.process.exit, "due": self.process.due, "lines": lines, "files": self.files.own}


SCRIPTS = [
    "while true; do date; echo $NAME; sleep 2; done",
    "i=0; until [ $i = 4 ]; do i=$((i+1)); echo $i >> /tmp/own; cat /tmp/own /shared/others; sleep 1.5; done; echo $i",
    "echo first; cd /tmp; X=$(cat /etc/config); while sleep 3; do pwd; echo $X $0 $?; done",
    "trap 'echo stopped; exit 7' TERM; while :; do sleep 1; echo on; done",
    "while read line; do echo got $line; cat /shared/others; done",
    "for i in 1 2 3 4 5 6 7 8; do echo $i | tee -a /shared/others; sleep 1; done",
    "(while true; do echo inner; sleep 2; done) | while read x; do echo outer $x; done",
    "set -e; while true; do for a in x y; do echo $a; sleep 1; done; if [ $a = z ]; then false; fi; done",
    "set -x; while true; do sleep 1; echo on; done",
    "sh -c 'while true; do echo nested; sleep 2; done'",
    "while true; do :; done",
    "yes | head -n 4000 | wc -l; nginx -g daemon",
    "cat /no; mkdir /tmp/d; ls /tmp /shared; sleep 5; ls /shared; rm /tmp/d; exit 4",
    "tail -f /shared/others",
    "echo a; while sleep 2; do echo $i; i=x$i; if [ $i = xxx ]; then break; fi; done; echo left $?; sleep 3; echo b",
    "cat",
    "exec sleep 6",
]


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("saved_at", [0, 1, 5, 8, 12])
def test_a_program_that_was_saved_goes_on_as_if_it_had_not_been(script: str, saved_at: int) -> None:
    one, other = PlayedContainer(script), PlayedContainer(script)
    for second in range(20):
        one.happen(second)
        other.happen(second)
        if second >= saved_at and second % 3 == saved_at % 3:
            other = other.again()
    assert other.end() == one.end()


def test_a_behaviour_goes_on_too() -> None:
    behavior = ContainerBehavior(log=LogBehavior(lines=("a", "b"), everySeconds=3), exitCode=2, exitAfterSeconds=13)
    one, other = PlayedContainer("", behavior), PlayedContainer("", behavior)
    for second in range(20):
        one.happen(second)
        other.happen(second)
        other = other.again()
    assert other.end() == one.end()
    assert one.process.exit is not None


def test_what_is_kept_of_a_loop_does_not_grow() -> None:
    container = PlayedContainer("while true; do cat /shared/others; sleep 1; done")
    container.shared["others"] = Inode(bytearray(b"something\n"))
    sizes = []
    for second in range(500):
        container.process.advance(NOW + timedelta(seconds=second))
        sizes.append(len(orjson.dumps(container.process.saved(), as_json)))
    assert sizes[-1] <= sizes[10]


def test_a_program_that_reads_too_much_cannot_be_played_again() -> None:
    container = PlayedContainer("sh -c 'while true; do cat /shared/large; sleep 1; done'")
    for second in range(6):
        container.shared["large"] = Inode(bytearray(b"%d" % second * 1024 * 1024))
        container.happen(second)
    assert container.process.journal.is_full
