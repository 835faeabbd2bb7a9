"""Evaluating checked expressions: trees become closures once, which then run on variables (cel-go's ``interpreter``).

Costs are those of cel-go at run time (``interpreter/runtimecost.go``), as the reference sets it up: asking whether a
field is there costs nothing more than the way to it, and what is constant is evaluated once and costs nothing.
"""
