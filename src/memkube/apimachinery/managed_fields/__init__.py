"""Who owns which field: managedFields and server-side apply, as pure functions over documents. No I/O."""
