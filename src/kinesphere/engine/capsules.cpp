// Distances of points from a capsule.
#include "engine/capsules.hpp"

#include "maths/binding.hpp"

namespace kinesphere {

// Write signed distances (N,) of points (N, 3) from one capsule between `start (3,)` and `end (3,)`; negative inside.
static void signed_distance(Floats<2> points, Floats<1> start, Floats<1> end, double wide, double deep,
                            FloatsOut<1> distances) {
    const Vec3 first = read_vector(start.data), last = read_vector(end.data);
    for (Index i = 0; i < points.shape[0]; ++i) {
        distances(i) = capsule_distance(read_vector(points.at(i)), first, last, wide, deep);
    }
}

KERNELS(capsules) { return {kernel<signed_distance>("signed_distance")}; }

}  // namespace kinesphere
