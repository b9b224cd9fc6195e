"""Kinesphere: expressive motion for humanoid characters.

``load`` a motion, ``perform`` a gesture or edit a capture, ``retarget`` it, ``save`` it. Names are imported when they
are first used, so that ``import kinesphere`` and ``kinesphere --help`` need not wait for NumPy.
"""

import lazy_loader

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
