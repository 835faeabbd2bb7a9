"""StatefulSets: replicated pods with stable names and storage."""
