"""Parser of expressions: the grammar, syntax errors, macros and limits of cel-go (its packages ``parser`` and ``ext``).

Most expressions are valid, and `memkube.cel.parsing.expressions` parses them by recursive descent. All others are
parsed by the rules of ANTLR, the parser generator of cel-go, because Kubernetes shows ANTLR's error messages to users.
This package checks neither types nor whether functions exist.
"""
