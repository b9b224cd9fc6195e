"""What movement properties change: a matrix of properties and measures."""
