// Loops of balance: how far inside of the support a point is.
#include "maths/binding.hpp"

namespace kinesphere {

namespace {

constexpr double DEGENERATE = 1e-12;  // metres: a direction that is shorter is none

// The distance of a point from the edge of a hull in one direction: positive below it.
double below(const double* corners, const bool* chosen, Index count, const double* point, double x, double z) {
    const double length = std::sqrt(x * x + z * z);
    if (length <= DEGENERATE) {
        x = 1.0;
        z = 0.0;
    } else {
        x /= length;
        z /= length;
    }
    double extent = -HUGE_VAL;
    for (Index i = 0; i < count; ++i) {
        if (!chosen[i]) continue;
        const double along = x * corners[2 * i] + z * corners[2 * i + 1];
        extent = along > extent ? along : extent;
    }
    return extent - (x * point[0] + z * point[1]);
}

}  // namespace

// Signed distances (T,) of points (T, 2) from the edge of the hulls of those corners (T, C, 2) that are chosen (T, C):
// positive inside; frames without any are left alone. The least of all directions is perpendicular to an edge, or from
// a corner to the point.
static void support_margins(Floats<3> corners, Bools<2> chosen, Floats<2> points, FloatsOut<1> margins) {
    const Index count = corners.shape[1];
    for (Index t = 0; t < corners.shape[0]; ++t) {
        const double *at = corners.at(t), *point = points.at(t);
        const bool* own = chosen.at(t);
        bool any = false;
        double least = HUGE_VAL;
        for (Index i = 0; i < count; ++i) {
            if (!own[i]) continue;
            any = true;
            const double x = point[0] - at[2 * i], z = point[1] - at[2 * i + 1];
            double found = below(at, own, count, point, x, z);
            least = found < least ? found : least;
            for (Index j = i + 1; j < count; ++j) {
                if (!own[j]) continue;
                const double u = at[2 * j] - at[2 * i], v = at[2 * j + 1] - at[2 * i + 1];
                found = below(at, own, count, point, v, -u);
                least = found < least ? found : least;
                found = below(at, own, count, point, -v, u);
                least = found < least ? found : least;
            }
        }
        if (any) margins(t) = least;
    }
}

KERNELS(mass) { return {kernel<support_margins>("support_margins")}; }

}  // namespace kinesphere
