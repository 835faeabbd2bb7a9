"""CSINodes: which drivers of volumes a node has."""
