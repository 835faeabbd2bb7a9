"""Resources of nodes: which pods a node accepts, resizes, preempts or evicts, and what they use."""
