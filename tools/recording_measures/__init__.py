"""What performances of recordings do: strokes, contracts, measures that follow their dials, beside actors."""
