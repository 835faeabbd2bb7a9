"""What rules nodes out for a pod and what makes some better than others, by the reference's plugins."""
