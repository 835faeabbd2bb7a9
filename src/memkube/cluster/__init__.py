"""A server as a Python object, which runs in a thread of its own.

Documents that cross between the program and the server are copies: changing one does not change the other.
"""
