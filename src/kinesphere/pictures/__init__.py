"""Stills, contact sheets and films of motions, drawn on the processor.

``film``, ``still`` and ``sheet`` show a motion on a character, or on a manikin made from its bones; ``bone_sheet``
draws stick figures. No display and no graphics card is needed, and the picture is the same everywhere.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
