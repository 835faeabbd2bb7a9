"""CSINodes: CSI drivers that are installed on a node."""
