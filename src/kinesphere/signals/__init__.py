"""Motion as signals: equaliser, blends, timewarps, waveshapes, displacement, smoothing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinesphere.signals.alignment import align
    from kinesphere.signals.blend import Blend
    from kinesphere.signals.displace import Displace
    from kinesphere.signals.equalize import Equalize
    from kinesphere.signals.smooth import Smooth
    from kinesphere.signals.timewarp import Timewarp
    from kinesphere.signals.waveshape import Waveshape

__all__ = ["Blend", "Displace", "Equalize", "Smooth", "Timewarp", "Waveshape", "align"]
_WHERE = {name: name.lower() for name in __all__} | {"align": "alignment"}


def __getattr__(name: str) -> Any:
    """Each name is imported when first used."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    return globals()[name]
