"""Outside ↔ Motion. One file or folder a format, registering itself."""
