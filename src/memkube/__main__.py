"""``python -m memkube``, and the command ``memkube``."""

import gc
import os


def main() -> None:
    """Runs the command line: see `memkube.cli.main`."""
    environment = dict(os.environ)
    # Pydantic would look for plugins among all packages that are installed, which takes a tenth of the start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # What is imported stays: to look for garbage in it, then or later, is a third of the time that starting takes.
    gc.disable()
    from memkube.cli import main as run_command_line  # noqa: PLC0415 - the import is what takes the time

    gc.freeze()
    gc.enable()
    run_command_line(environment)


if __name__ == "__main__":
    main()
