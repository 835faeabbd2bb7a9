"""Checkpoints of a shell script, from which a restored shell continues the script.

Only the shell that is the first process of a container makes checkpoints.
"""

from collections.abc import Callable

from memkube.controllers.kubelet.programs.program import Checkpoint, Session
from memkube.controllers.kubelet.programs.syntax import Command, Loop


class Checkpoints:
    """Tracks how far a shell has run its script, and makes checkpoints of the shell.

    `on_checkpoint` is called with each checkpoint; if it is None, none are made. After the restore of a snapshot, the
    shell continues its script from its last checkpoint, `resumed_from`.
    """

    def __init__(
        self,
        script: str = "",
        on_checkpoint: Callable[[Checkpoint], None] | None = None,
        resumed_from: Checkpoint | None = None,
    ) -> None:
        self._script = script
        self._on_checkpoint = on_checkpoint
        self._resumed_from = resumed_from
        self._item = 0
        self._loop: Loop | None = None
        self.first = resumed_from.item if resumed_from is not None else 0
        """Index of the first item of the script to run; earlier items ran before the checkpoint."""

    def reach(self, item: int, command: Command) -> None:
        """Record that the shell has reached `command`, the top-level command with the index `item` in its script."""
        self._item, self._loop = item, command if isinstance(command, Loop) else None

    def make(
        self, loop: Loop, session: Session, status: int, loop_status: int, *, ends_at_failure: bool, traces: bool
    ) -> None:
        """Make a checkpoint before an iteration of `loop`, if it is the current top-level command of the script.

        For other loops, nothing is done. `status` is the exit status of the shell's last command, and `loop_status` the
        exit status of the loop's last iteration. `ends_at_failure` is True after ``set -e``, and `traces` after
        ``set -x``.
        """
        if self._on_checkpoint is None or loop is not self._loop:
            return
        self._on_checkpoint(
            Checkpoint(
                script=self._script,
                item=self._item,
                status=status,
                loop_status=loop_status,
                ends_at_failure=ends_at_failure,
                environment=dict(session.environment.own),
                variables=dict(session.variables),
                arguments=session.arguments,
                working_directory=session.working_directory,
                actions=dict(session.traps.actions),
                pending=tuple(session.traps.pending),
                budget=session.budget.state,
                first_line=session.first_line,
                names_lines=session.names_lines,
                traces=traces,
            )
        )

    def resumed(self, loop: Loop, session: Session) -> int:
        """Return the exit status that `loop` has before its first iteration; usually 0.

        If the shell continues from a checkpoint in this loop, the result is the exit status of the last iteration
        before the checkpoint. The budget of `session`, which makes the program pause, is then also taken from the
        checkpoint.
        """
        resumed_from = self._resumed_from
        if resumed_from is None or loop is not self._loop:
            return 0
        self._resumed_from = None
        session.budget.state = resumed_from.budget
        return resumed_from.loop_status
