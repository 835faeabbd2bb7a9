"""Option groups of the commands that start a server. Each group is converted into a part of the server's settings."""
