"""Scripts of actions: what is done, when and where, compiled to a phrase on a body."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
