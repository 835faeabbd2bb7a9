"""The Common Expression Language as the reference speaks it: environments, checking, evaluation, the reference's words.

Expressions are parsed by the ``cel-expr-python`` package, Google's parser in C++, whose grammar and messages are those
of cel-go. Types are checked here: the reference's types come from schemas and not from protocol buffers, its libraries
are its own, and other messages come of them. Expressions are evaluated here as well: what that costs decides in the
reference what is refused, documents are looked at in place, and errors are shown to users. No kind of the API is known
here, and no object is changed.
"""
