"""The command line: one module for each command.

To add the command ``sing``, write ``cli/sing.py`` with a `typer.Typer` called `app`, and one line in
`memkube.cli.application.COMMANDS`::

    app = typer.Typer(add_completion=False)

    @app.command()
    def sing(song: str, server: ServerOption = "") -> None:
        '''Sing a song.

        Example::

            memkube sing yesterday
        '''
        ControlApi.of(server).post("/songs", {"name": song})

An `app` with one function is a command, one with several a group of them (``memkube snapshot save``). What calls the
control API takes its server as above, see `memkube.cli.control_api`; what starts a server takes the options of
`memkube.cli.server_options`, which `memkube.cli.plain` understands too; `memkube.cli.output` has the option
``-o json``. A `memkube.MemkubeError` or an OSError is shown as ``memkube: …`` on stderr and ends the command with exit
status 1; a wrong usage ends it with 2.
`typer.secho` colours on terminals only, and not with NO_COLOR. Examples are run by ``tests/cli/test_examples.py``.

A module is imported when its command is asked for and not before, so what it imports costs no other command anything;
``memkube --help`` imports none of them.
"""
