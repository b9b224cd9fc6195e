"""Commands that edit motions: one file each."""
