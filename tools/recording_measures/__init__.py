"""What performances of recordings do: strokes found, contracts kept, measures that follow their dials, beside actors."""
