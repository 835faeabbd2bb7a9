"""How a connection that was upgraded carries a process's streams, or connections to ports."""
