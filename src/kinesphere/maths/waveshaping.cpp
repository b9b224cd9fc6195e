// Loops over tables: every value through a shaping function.
#include "maths/waveshaping.hpp"

#include "maths/binding.hpp"

namespace kinesphere {

// Rows (T, C) through a piecewise cubic; `shape` is a `shape_table`.
static void waveshape(Floats<2> table, Floats<1> centre, Floats<1> half, Floats<2> shape, double amount,
                      FloatsOut<2> made) {
    for (Index t = 0; t < table.shape[0]; ++t) {
        const double* values = table.at(t);
        double* out = made.at(t);
        for (Index c = 0; c < table.shape[1]; ++c)
            out[c] = waveshape_value(values[c], centre(c), half(c), shape, amount);
    }
}

KERNELS(waveshaping) { return {kernel<waveshape>("waveshape")}; }

}  // namespace kinesphere
