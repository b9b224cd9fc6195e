"""Direction: words and moods as controls."""
