"""Shaping: what movement properties do to a motion that was generated, or recorded.

Each step is one file: which moment every joint shows (succession, envelopes, pauses), how far joints depart from their
means, bends of the spine, where hands go, where the body looks and stands. ``engine.performed_recording`` calls them.
"""
