"""Simulated programs of containers: an interpreter for a part of the POSIX shell, and some commands of busybox.

No process is ever started. The scope is fixed to what tests and examples of operators commonly run in a container; it
does not grow further. For other containers, users configure the behaviour with rules.

Simulated are: simple commands, variables and positional parameters; ``${x:-y}``, ``${x-y}``, ``${x:?y}``, ``${x?y}``
and the prefix and suffix patterns of parameter expansion; ``$(…)``, backquotes, integer arithmetic, globbing; pipes,
``&&``, ``||``, ``!``, redirections, here-documents; ``if``, ``for``, ``while``, ``until``, ``case``, subshells and
groups; the builtins ``break``, ``cd``, ``continue``, ``exec``, ``exit``, ``export``, ``read``, ``set -e``, ``set -x``,
``trap`` and ``unset``; and the programs in ``commands.py``, with the options that they list. The output of a program
is that of busybox 1.36 in every image; exceptions are ``agnhost``, ``curl``, ``dig``, ``getent``, ``nc`` and
``nslookup``, which have the output of the original programs. Files have permissions, owners, modification times and
symbolic links (``inodes.py``); hard links, access times and devices are not simulated. ``wget``, ``curl``, ``nc``,
``nslookup`` and ``dig`` reach the services and pods of the cluster, but no host outside of the cluster.

Refused with :class:`~memkube.controllers.kubelet.programs.program.NotSimulated`, never approximated: background jobs,
functions, arrays, ``[[ =~ ]]``, ``$@`` and ``$*``, ``~``, here-strings, other forms of parameter expansion,
``function`` and ``select``, devices such as ``/dev/urandom``, scripts in the image, other options and other programs.
If the command of a container is refused, an Event reports this, and the container keeps running as a server. A command
of ``kubectl exec`` fails instead.
"""
