"""Stand-in for compiled loops that have not been built: Python finds the extension module before this file."""

raise ImportError(
    "Kinesphere's compiled loops are missing: kinesphere/_native was not built. "
    "In a checkout run `make demo`; elsewhere `pip install .`. Both need a C++17 compiler."
)
