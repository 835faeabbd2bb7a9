"""Evaluation of checked expressions (cel-go's ``interpreter``).

A syntax tree is compiled once into Python closures, which can be run repeatedly with different variables. Costs are
those that cel-go counts at run time (``interpreter/runtimecost.go``), as Kubernetes configures it: ``has()`` costs only
the selections that lead to the field, and constants are evaluated once and cost nothing.
"""
