"""Entry point of ``python -m memkube`` and of the command ``memkube``."""

import gc
import os


def main() -> None:
    """Run the command line: see `memkube.cli.application.main`."""
    environment = dict(os.environ)
    # pydantic reads this variable when it is imported. Without it, pydantic would look for plugins in all installed
    # packages.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Garbage collection during imports would take a third of the start-up time; the command enables it again.
    gc.disable()
    from memkube.cli.application import main as run_command_line  # noqa: PLC0415 - reads the variable above

    run_command_line(environment)


if __name__ == "__main__":
    main()
