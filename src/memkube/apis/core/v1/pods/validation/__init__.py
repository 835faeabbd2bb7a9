"""Rules for pods: metadata and spec of a new one, and what each kind of update may change."""
