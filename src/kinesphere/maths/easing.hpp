// Easing from 0 to 1 over a share, held outside of it; as in vectors.py.
#pragma once

#include "maths/array.hpp"

namespace kinesphere {

// At rest at both ends.
inline double smoothstep(double share) {
    const double u = clamp(share, 0.0, 1.0);
    return u * u * (3.0 - 2.0 * u);
}

// Without speed or acceleration at both.
inline double smootherstep(double share) {
    const double u = clamp(share, 0.0, 1.0);
    return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
}

}  // namespace kinesphere
