"""StatefulSets: pods of a template that keep their names and their storage."""
