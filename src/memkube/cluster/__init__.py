"""A server as a Python object, which runs in a thread of its own.

Objects that the program passes to the server, and those that it gets from the server, are copies. So the program may
change them without changing the server's objects.
"""
