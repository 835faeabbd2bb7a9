"""The Common Expression Language as the reference speaks it: environments, checking, and the reference's words.

Expressions are parsed by the ``cel-expr-python`` package, Google's parser in C++, whose grammar and messages are those
of cel-go. Types are checked here: the reference's types come from schemas and not from protocol buffers, its libraries
are its own, and other messages come of them. No kind of the API is known here, and no object is changed.
"""
