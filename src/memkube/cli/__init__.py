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

An `app` with one function is a command, one with several is a group of commands (``memkube snapshot save``). A command
that calls the control API takes its server as above, see `memkube.cli.control_api`; a command that starts a server
takes the options of `memkube.cli.server_options`; `memkube.cli.output` has the option ``-o json``. A
`memkube.MemkubeError` or an OSError is reported as ``memkube: …`` on stderr and ends the command with exit status 1;
wrong usage ends it with 2. `typer.secho` colours output on terminals only, and not with NO_COLOR.
``tests/cli/test_examples.py`` runs the examples.

A module is imported when its command is used, so its imports cost the other commands nothing; ``memkube --help``
imports none of them.
"""
