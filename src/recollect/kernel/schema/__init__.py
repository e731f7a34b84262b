"""What a group declares its types and predicates to be. KIP 1.0-RC11, section 2.9."""
