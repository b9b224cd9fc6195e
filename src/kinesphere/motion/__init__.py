"""What a recording is: skeletons, motions and the maps between times."""
