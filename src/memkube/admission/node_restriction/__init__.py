"""NodeRestriction: kubelets write about their own node alone.

Source: ``plugin/pkg/admission/noderestriction``. Who calls as ``system:node:NAME`` in the group ``system:nodes`` is
the kubelet of that node.
"""
