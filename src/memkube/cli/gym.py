"""``memkube gym``: makes broken clusters for agents to repair.

It runs an agent's command against one cluster, or serves the clusters over HTTP.
"""

import contextlib
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Annotated, Final

import typer

from memkube.errors import UsageError
from memkube.gym.environment import Environment
from memkube.gym.pack import task_names, title_of

app = typer.Typer(add_completion=False, no_args_is_help=True)
_TICK_SECONDS: Final = 0.2
_NOT_FOUND: Final = 127


@app.callback()
def gym() -> None:
    """Let agents repair broken clusters with kubectl.

    Example::

        memkube gym run quota --seed 7 -- ./my-agent
    """
    # Hide the warnings that controllers log when they retry in a broken cluster.
    logging.getLogger("memkube").setLevel(logging.ERROR)


@app.command("list")
def list_tasks() -> None:
    """Print the names of the tasks, and what is wrong in their clusters.

    Example::

        memkube gym list
    """
    for name in task_names():
        typer.echo(f"{name:20} {title_of(name)}")


@app.command()
def run(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="Name of the task, as memkube gym list prints it.")],
    command: Annotated[list[str], typer.Argument(help="The agent's command and its arguments, after --.")],
    seed: Annotated[
        int, typer.Option(min=0, help="Integer that decides the random names and numbers in the task.")
    ] = 0,
    speed: Annotated[
        float, typer.Option(min=0.1, help="Seconds by which the cluster's clock advances per second of real time.")
    ] = 10,
) -> None:
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
        typer.echo(f"memkube: {error}", err=True)
        raise typer.Exit(2) from None
    with environment:
        observation, _ = environment.reset(seed=seed)
        variables = {"KUBECONFIG": str(environment.kubeconfig), "MEMKUBE_TASK": observation["output"]}
        with _clock_running(environment, speed):
            status = _status_of(command, {**context.obj, **variables})
        verdict = environment.judge()
    typer.echo(f"the command ended with status {status}", err=True)
    for reason in verdict.reasons:
        typer.echo(f"FAILED {reason}")
    typer.echo("solved" if verdict.solved else "not solved")
    raise typer.Exit(0 if verdict.solved else 1)


@app.command()
def serve(
    *,
    host: Annotated[str, typer.Option(help="Address to listen on. Clients need no credentials.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    episodes: Annotated[int, typer.Option(min=1, help="Maximum number of episodes that run at the same time.")] = 8,
    steps: Annotated[int, typer.Option(min=1, help="Number of actions after which an episode ends.")] = 30,
) -> None:
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
    typer.echo(f"memkube serves up to {episodes} episodes at http://{shown}:{listener.getsockname()[1]}")
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


def _status_of(command: list[str], environment: dict[str, str]) -> int:
    """Run a command with these environment variables, and return its exit status; 127 if it is not found."""
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except FileNotFoundError:
        typer.echo(f"memkube: {command[0]}: command not found", err=True)
        return _NOT_FOUND
