"""The command line: one module for each command.

To add the command ``sing``, write ``cli/sing.py`` with a click command called `sing`, and one line in
`memkube.cli.application.COMMANDS`::

    @click.command(cls=Command)
    @argument("song", help="Name of the song.")
    @server_option
    def sing(song: str, server: str) -> None:
        '''Sing a song.

        Example::

            memkube sing yesterday
        '''
        ControlApi.of(server).post("/songs", {"name": song})

A group of commands (``memkube snapshot save``) is a `memkube.cli.commands.Group`. A command that calls the control API
takes its server as above, see `memkube.cli.control_api`; a command that starts a server takes groups of options, see
`memkube.cli.options.groups`; `memkube.cli.output` has the option ``-o json``. A `memkube.MemkubeError` or an OSError is
reported as ``memkube: …`` on stderr and ends the command with exit status 1; wrong usage ends it with 2. `click.secho`
colours output on terminals only, and not with NO_COLOR. ``tests/cli/test_examples.py`` runs the examples.

A module is imported when its command is used, so its imports cost the other commands nothing; ``memkube --help``
imports none of them.
"""
