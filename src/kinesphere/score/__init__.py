"""Scores: a source and layers of edits as a document, and rendering it to a motion."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
