"""Command-line interface: one file per command, and the options and error reports that all of them use."""
