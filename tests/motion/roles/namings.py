"""Naming schemes that are not among the captures, by the keys of ``people.PLAN``."""

from __future__ import annotations

import json
from pathlib import Path

NAMINGS: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "namings.json").read_text())
