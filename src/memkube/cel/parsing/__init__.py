"""Parser of expressions: the grammar, syntax errors, macros and limits of cel-go (its packages ``parser`` and ``ext``).

Most expressions are valid, and `memkube.cel.parsing.expressions` parses them by recursive descent. Everything else is
parsed by the rules of ANTLR, the parser generator of cel-go, because Kubernetes shows its messages to users. Nothing
here knows types or functions.
"""
