"""Motion as signals: equaliser, blends, timewarps, waveshapes, displacement, smoothing."""
