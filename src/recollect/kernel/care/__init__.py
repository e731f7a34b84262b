"""A memory looked after: audited, examined, mended, dumped, restored, purged, indexed anew."""
