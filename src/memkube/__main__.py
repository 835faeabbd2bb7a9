"""``python -m memkube``, and the command ``memkube``."""

import gc
import os


def main() -> None:
    """Run the command line: see `memkube.cli.application.main`."""
    environment = dict(os.environ)
    # These are read when pydantic and Typer are imported: without them, pydantic looks for plugins in all installed
    # packages, and Typer imports rich for its help.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    os.environ.setdefault("TYPER_USE_RICH", "0")
    # Collecting garbage while modules are imported takes a third of the start; the command enables it again.
    gc.disable()
    from memkube.cli.application import main as run_command_line  # noqa: PLC0415 - reads the variables above

    run_command_line(environment)


if __name__ == "__main__":
    main()
