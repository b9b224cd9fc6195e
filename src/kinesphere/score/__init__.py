"""Non-destructive edits ("scores"): a source and layers of edits, saved as JSON and rendered to a motion."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
