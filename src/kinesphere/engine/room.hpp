// What is added to a recorded pose, within what is left of a joint's range.
#pragma once

#include <cmath>

namespace kinesphere {

// What is added where so much room is left: freely over the first half of it, then softly to its end.
inline double within_room(double added, double room) {
    const double half = 0.5 * room;
    return added <= half ? added : half + half * (1.0 - std::exp(-(added - half) / half));
}

}  // namespace kinesphere
