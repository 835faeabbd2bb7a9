"""``python -m memkube``, and the command ``memkube``."""

import gc


def main() -> None:
    """Runs the command line: see `memkube.cli.main`."""
    # What is imported stays: to look for garbage in it again and again is a sixth of the time that starting takes.
    gc.disable()
    from memkube.cli import main as run_command_line  # noqa: PLC0415 - the import is what takes the time

    gc.enable()
    run_command_line()


if __name__ == "__main__":
    main()
