"""Options of the commands that start a server, in groups. Each group makes a part of the server's settings."""
