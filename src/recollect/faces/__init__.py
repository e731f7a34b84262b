"""What the outside speaks to: each face translates one specification to the kernel and back."""
