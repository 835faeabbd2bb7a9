"""Marks that a container's own shell makes in its script, so that it can be played on from there."""

from collections.abc import Callable

from memkube.controllers.kubelet.programs.program import Mark, Session
from memkube.controllers.kubelet.programs.syntax import Command, Loop


class Marks:
    """Where a shell stands in its own script, if anybody wants to know, and where it went on from."""

    def __init__(
        self, script: str = "", tell: Callable[[Mark], None] | None = None, begins: Mark | None = None
    ) -> None:
        self._script = script
        self._tell = tell
        self._begins = begins
        self._item = 0
        self._loop: Loop | None = None
        self.first = begins.item if begins is not None else 0
        """The item of the script that comes first; what led to it lies behind."""

    def reach(self, item: int, command: Command) -> None:
        """The shell comes to an item of its script."""
        self._item, self._loop = item, command if isinstance(command, Loop) else None

    def mark(self, loop: Loop, session: Session, status: int, loop_status: int, *, ends_at_failure: bool) -> None:
        """The shell begins another round of a loop: a mark, if the loop is the item that it has come to."""
        if self._tell is None or loop is not self._loop:
            return
        self._tell(
            Mark(
                script=self._script,
                item=self._item,
                status=status,
                loop_status=loop_status,
                ends_at_failure=ends_at_failure,
                environment=dict(session.environment),
                variables=dict(session.variables),
                arguments=session.arguments,
                working_directory=session.working_directory,
                actions=dict(session.traps.actions),
                pending=tuple(session.traps.pending),
                budget=session.budget.left,
            )
        )

    def resumed(self, loop: Loop, session: Session) -> int:
        """What the last round of a loop came to: 0, unless the shell goes on in the middle of it."""
        begins = self._begins
        if begins is None or loop is not self._loop:
            return 0
        self._begins = None
        session.budget.left = begins.budget
        return begins.loop_status
