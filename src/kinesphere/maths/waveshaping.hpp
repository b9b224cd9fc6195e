// Waveshaping of one value: see waveshaping.py for what a shaping function is.
#pragma once

#include "maths/array.hpp"

namespace kinesphere {

// One value through a piecewise cubic; `shape` (N + 1, 5) is a `shape_table`.
inline double waveshape_value(double value, double centre, double width, Floats<2> shape, double amount) {
    if (!(width > 0.0)) return value;
    const double near = (value - centre) / width;
    const double *piece = shape.data, *last = shape.at(shape.shape[0] - 1);
    while (piece < last && near >= piece[5]) piece += 5;
    const double u = near - piece[0];
    return value + amount * width * (piece[1] + u * (piece[2] + u * (piece[3] + u * piece[4])) - near);
}

}  // namespace kinesphere
