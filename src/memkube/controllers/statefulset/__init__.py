"""The StatefulSet controller: creates pods with stable names in order, and replaces them in rolling updates."""
