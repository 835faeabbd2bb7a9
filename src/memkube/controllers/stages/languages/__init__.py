"""The languages in Stages: CEL, a subset of jq, and Go's ``text/template`` with most functions of Sprig.

A program with any other syntax or function is refused when it is compiled. Apart from Pods and Nodes in CEL, this
package does not depend on kinds. It does no input or output, except that it reads the time zones of the system.
"""
