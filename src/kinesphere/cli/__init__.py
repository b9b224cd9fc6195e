"""The ``kinesphere`` command: one file a command; options and reports that they share."""
