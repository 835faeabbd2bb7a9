"""Claims for storage, which other kinds carry as templates."""
