"""``memkube gym``: makes broken clusters for agents to repair.

It runs an agent's command against one cluster, or serves the clusters over HTTP.
"""

import contextlib
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import click

from memkube.cli.commands import PORT, Group, argument
from memkube.errors import UsageError
from memkube.gym.environment import Environment
from memkube.gym.pack import task_names, title_of

_TICK_SECONDS: Final = 0.2
_NOT_FOUND: Final = 127


@click.group(cls=Group)
def gym() -> None:
    """Let agents repair broken clusters with kubectl.

    Example::

        memkube gym run quota --seed 7 -- ./my-agent
    """
    # Hide the warnings that controllers log when they retry in a broken cluster.
    logging.getLogger("memkube").setLevel(logging.ERROR)


@gym.command("list")
def list_tasks() -> None:
    """Print the names of the tasks, and what is wrong in their clusters.

    Example::

        memkube gym list
    """
    for name in task_names():
        click.echo(f"{name:20} {title_of(name)}")


@gym.command()
@argument("task", help="Name of the task, as memkube gym list prints it.")
@argument("command", nargs=-1, required=True, help="The agent's command and its arguments, after --.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, help="Integer that decides the random names and numbers in the task."
)
@click.option(
    "--speed",
    type=click.FloatRange(0.1),
    default=10,
    help="Seconds by which the cluster's clock advances per second of real time.",
)
@click.pass_obj
def run(inherited: Mapping[str, str], task: str, command: tuple[str, ...], seed: int, speed: float) -> None:
    """Run an agent's command with a broken cluster, and judge the repair.

    The environment of the command has KUBECONFIG, for the agent's user, and MEMKUBE_TASK, the text of the task. The
    exit status is 0 if the task is solved, 1 if it is not, and 2 for wrong usage. The command runs with your rights on
    this machine: run agents that you do not trust in a container.

    Example::

        memkube gym run quota --seed 7 -- ./my-agent
    """
    try:
        environment = Environment(task)
    except UsageError as error:
        click.echo(f"memkube: {error}", err=True)
        sys.exit(2)
    with environment:
        observation, _ = environment.reset(seed=seed)
        variables = {"KUBECONFIG": str(environment.kubeconfig), "MEMKUBE_TASK": observation["output"]}
        with _clock_running(environment, speed):
            status = _status_of(command, {**inherited, **variables})
        verdict = environment.judge()
    click.echo(f"the command ended with status {status}", err=True)
    for reason in verdict.reasons:
        click.echo(f"FAILED {reason}")
    click.echo("solved" if verdict.solved else "not solved")
    sys.exit(0 if verdict.solved else 1)


@gym.command()
@click.option("--host", default="127.0.0.1", help="Address to listen on. Clients need no credentials.")
@click.option("--port", type=PORT, default=8000, help="Port to listen on.")
@click.option(
    "--episodes", type=click.IntRange(1), default=8, help="Maximum number of episodes that run at the same time."
)
@click.option("--steps", type=click.IntRange(1), default=30, help="Number of actions after which an episode ends.")
def serve(host: str, port: int, episodes: int, steps: int) -> None:
    """Serve environments with the protocol of OpenEnv: /reset, /step, /state, /health and the WebSocket /ws.

    Prints the address, and serves until it is interrupted.

    Example::

        memkube gym serve --port 8000 --episodes 8
    """
    import uvicorn  # noqa: PLC0415 - only for this command

    from memkube.gym.service import create_gym_application  # noqa: PLC0415 - as above

    application = create_gym_application(
        lambda preparations: Environment(most_steps=steps, preparations=preparations), episodes
    )
    config = uvicorn.Config(application, host=host, port=port, log_level="warning")
    listener = config.bind_socket()
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"memkube serves up to {episodes} episodes at http://{shown}:{listener.getsockname()[1]}")
    sys.stdout.flush()
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])


@contextlib.contextmanager
def _clock_running(environment: Environment, speed: float) -> Iterator[None]:
    """Advance the clock of the environment's cluster during the ``with`` block, `speed` times as fast as real time."""
    ended = threading.Event()

    def tick() -> None:
        before = time.monotonic()
        while not ended.wait(_TICK_SECONDS):
            now = time.monotonic()
            environment.advance((now - before) * speed)
            before = now

    thread = threading.Thread(target=tick, name="gym-clock")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _status_of(command: Sequence[str], environment: dict[str, str]) -> int:
    """Run a command with these environment variables, and return its exit status; 127 if it is not found."""
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except FileNotFoundError:
        click.echo(f"memkube: {command[0]}: command not found", err=True)
        return _NOT_FOUND
