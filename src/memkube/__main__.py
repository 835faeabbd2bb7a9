"""``python -m memkube``, and the command ``memkube``."""

import gc
import os
import sys


def main() -> None:
    """Runs the command line: see `memkube.cli.application.main`."""
    environment = dict(os.environ)
    # Pydantic would look for plugins among all packages that are installed, which takes a tenth of the start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Help without frames and colours, whoever reads it; they would take as long again to import.
    os.environ.setdefault("TYPER_USE_RICH", "0")
    # Until the command is imported, which takes the time: see there.
    gc.disable()
    from memkube.cli.plain import run_plainly  # noqa: PLC0415 - see above

    if not run_plainly(sys.argv[1:], environment):
        from memkube.cli.application import main as run_command_line  # noqa: PLC0415 - see above

        run_command_line(environment)


if __name__ == "__main__":
    main()
