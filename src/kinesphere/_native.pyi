# The compiled loops, a submodule for every C++ file of them. A call checks number, element types, axes, C order and
# writability of its arguments, but no shapes and no indices.
from typing import Any

def __getattr__(name: str) -> Any: ...
