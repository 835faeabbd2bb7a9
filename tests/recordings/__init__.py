"""What a real API server answered, compressed, the programs that compare with it, and what must agree with it."""
