"""What any edit may lean on: anatomy, retargeting, feet, limits, mass."""
