"""A memory of the world's countries and places, built and questioned before your eyes."""
