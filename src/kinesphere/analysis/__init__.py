"""Analysis: motion to measures. An observer that codes Effort, and what it measures."""

from __future__ import annotations

from kinesphere.analysis.measuring import Features, features
from kinesphere.analysis.observer import Coding, Observation, observe
from kinesphere.analysis.sparc import sparc as spectral_arc_length

__all__ = ["Coding", "Features", "Observation", "features", "observe", "spectral_arc_length"]
