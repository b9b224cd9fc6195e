"""Humanoid role detection: which joint is which VRM 1.0 bone, by names and by proportions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
