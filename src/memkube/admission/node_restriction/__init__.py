"""NodeRestriction: a kubelet may only write its own Node and the pods bound to it.

Source: ``plugin/pkg/admission/noderestriction``. A user named ``system:node:NAME`` in the group ``system:nodes`` is the
kubelet of that node.
"""
