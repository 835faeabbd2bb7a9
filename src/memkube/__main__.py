"""Entry point of ``python -m memkube`` and of the command ``memkube``."""

import gc
import os


def main() -> None:
    """Run the command line: see `memkube.cli.application.main`."""
    environment = dict(os.environ)
    # pydantic and Typer read these variables when they are imported. Without them, pydantic would look for plugins in
    # all installed packages, and Typer would import rich to format its help.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    os.environ.setdefault("TYPER_USE_RICH", "0")
    # Garbage collection during imports would take a third of the start-up time; the command enables it again.
    gc.disable()
    from memkube.cli.application import main as run_command_line  # noqa: PLC0415 - reads the variables above

    run_command_line(environment)


if __name__ == "__main__":
    main()
