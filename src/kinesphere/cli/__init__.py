"""Command-line interface: one file per command, or per group of them, and the options and error reports they share."""
