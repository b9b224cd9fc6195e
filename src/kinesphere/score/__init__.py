"""The score: the document of a performance, and what renders it."""
