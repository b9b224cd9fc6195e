// Loops over rows of channel values: BVH's Euler angles and positions to local poses.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

constexpr double DEGREES_TO_HALF_RADIANS = 3.141592653589793 / 360.0;

namespace {

// read.ChannelLayout: which column of a frame's row belongs to which joint.
struct ChannelLayout {
    Ints<2> axes, rotation_columns, position_columns;
};

}  // namespace

// A rotation and then one about x, y or z (0, 1, 2), of half an angle's cosine and sine.
static Quat rotate_about(Quat q, Index axis, double c, double s) {
    if (axis == 0) return {q.w * c - q.x * s, q.x * c + q.w * s, q.y * c + q.z * s, q.z * c - q.y * s};
    if (axis == 1) return {q.w * c - q.y * s, q.x * c - q.z * s, q.y * c + q.w * s, q.z * c + q.x * s};
    return {q.w * c - q.z * s, q.x * c + q.y * s, q.y * c - q.x * s, q.z * c + q.w * s};
}

// Write local rotations `q (T, J, 4)` and translations `t (T, J, 3)` of channel values (T, C), in degrees. Positions
// are added to `base (J, 3)`. Neighbouring rotations lie in one hemisphere.
static void pose_from_channels(Floats<2> rows, const ChannelLayout& layout, Floats<2> base, FloatsOut<3> q,
                               FloatsOut<3> t) {
    const Index joints = base.shape[0];
    for (Index f = 0; f < rows.shape[0]; ++f) {
        const double* row = rows.at(f);
        for (Index j = 0; j < joints; ++j) {
            const Index *axes = layout.axes.at(j), *columns = layout.rotation_columns.at(j);
            Quat made = {1.0, 0.0, 0.0, 0.0};
            for (Index n = 0; n < 3 && axes[n] >= 0; ++n) {
                const double half = row[columns[n]] * DEGREES_TO_HALF_RADIANS;
                made = rotate_about(made, axes[n], std::cos(half), std::sin(half));
            }
            if (f > 0) {
                const Quat before = read_quaternion(q.at(f - 1, j));
                if (made.w * before.w + made.x * before.x + made.y * before.y + made.z * before.z < 0.0) made = -made;
            }
            write_quaternion(q.at(f, j), made);
            const Index* places = layout.position_columns.at(j);
            for (Index n = 0; n < 3; ++n) t(f, j, n) = base(j, n) + (places[n] >= 0 ? row[places[n]] : 0.0);
        }
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::ChannelLayout, &kinesphere::ChannelLayout::axes, &kinesphere::ChannelLayout::rotation_columns,
       &kinesphere::ChannelLayout::position_columns);

namespace kinesphere {

KERNELS(bvh_read) { return {kernel<pose_from_channels>("pose_from_channels")}; }

}  // namespace kinesphere
