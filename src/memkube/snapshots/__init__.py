"""All of a server's state, saved and brought back. Nothing here serves HTTP or writes as a client does."""
