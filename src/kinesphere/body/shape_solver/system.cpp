// Residuals of what is asked of trunks, and their Jacobian: see system.py for what they mean.
#include <array>

#include "maths/array.hpp"
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

constexpr double YIELDING = 12.0;          // tolerances from which on a demand pulls no harder
constexpr double CENTRE_YIELDING = 100.0;  // likewise, of a centre of mass: balance comes before hands and gaze
constexpr double UPRIGHT = 0.3;            // weight of a head's roll beside that of its line of sight

struct TrunkRows {
    Ints<1> parents;   // (K,)
    Ints<1> rotated;   // (U,) rows
    Floats<3> axes;    // (U, 3, 3) columns, in the parents' axes
    Bools<2> carried;  // (U, K)
    Floats<1> hung;    // (K,) 1 where hips carry a row
    std::int64_t hips;
};

struct Reaches {
    Ints<1> rows;          // (M,)
    Floats<3> targets;     // (M, T, 3)
    Floats<3> carried;     // (M, T, 3)
    Floats<2> weights;     // (M, T)
    Floats<2> ease;        // (M, T)
    Floats<2> zones;       // (M, T)
    Floats<1> tolerances;  // (M,)
    Bools<1> legs;         // (M,)
};

struct Points {
    Ints<1> rows;       // (M,)
    Floats<3> offsets;  // (M, T, 3)
    Floats<3> targets;  // (M, T, 3)
    Floats<2> weights;  // (M, T) over the tolerance
};

struct Centre {
    Ints<1> rows;       // (S,)
    Floats<3> offsets;  // (T, S, 3)
    Floats<2> shares;   // (T, S)
    Floats<1> masses;   // (S,)
    Floats<3> start;    // (T, S, 3)
    Floats<2> target;   // (T, 2)
    Floats<1> weight;   // (T,)
    Floats<1> room;     // (T,)
    Floats<1> free;     // (T,)
};

struct Gaze {
    Ints<1> row;       // (1,) or (0,)
    Floats<1> origin;  // (3,)
    Floats<1> ahead;   // (3,)
    Floats<2> target;  // (T, 3)
    Floats<2> facing;  // (T, 4)
    Floats<1> weight;  // (T,)
};

using Columns = std::array<Vec3, 3>;

// How a rotation vector's change adds to the rotation, as columns.
Columns left_jacobian(Vec3 v) {
    const double square_angle = dot(v, v), angle = std::sqrt(square_angle);
    const bool small = angle < 1e-4;
    const double a = small ? 0.5 - square_angle / 24.0 : (1.0 - std::cos(angle)) / square_angle;
    const double b = small ? 1.0 / 6.0 - square_angle / 120.0 : (angle - std::sin(angle)) / (square_angle * angle);
    Columns made;
    const Vec3 units[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int j = 0; j < 3; ++j) {
        const Vec3 once = cross(v, units[j]);
        made[j] = units[j] + a * once + b * cross(v, once);
    }
    return made;
}

// A pose of the rows, and the world axes about which unknowns rotate.
class TrunkPose {
   public:
    explicit TrunkPose(const TrunkRows& model)
        : model_(model),
          q(model.parents.shape[0]),
          p(model.parents.shape[0]),
          axes(model.rotated.shape[0]),
          place_(model.parents.shape[0], -1) {
        for (Index u = 0; u < model.rotated.shape[0]; ++u) place_[model.rotated(u)] = u;
    }

    void pose(const double* local, const double* translations, const double* unknowns, bool with_axes) {
        const Vec3 shift = read_vector(unknowns);
        for (Index row = 0; row < model_.parents.shape[0]; ++row) {
            const Index parent = model_.parents(row), u = place_[row];
            const Quat above = parent < 0 ? Quat{1.0, 0.0, 0.0, 0.0} : q[parent];
            Quat own = read_quaternion(local + 4 * row);
            if (u >= 0) {
                const double* c = unknowns + 3 + 3 * u;
                const Vec3 columns[3] = {column(u, 0), column(u, 1), column(u, 2)};
                own = exponential_quaternion(c[0] * columns[0] + c[1] * columns[1] + c[2] * columns[2]) * own;
                if (with_axes) {
                    const Columns turning = left_jacobian(read_vector(c));
                    for (int j = 0; j < 3; ++j)
                        axes[u][j] = rotate(
                            above, turning[j].x * columns[0] + turning[j].y * columns[1] + turning[j].z * columns[2]);
                }
            }
            Vec3 at = rotate(above, read_vector(translations + 3 * row));
            if (parent >= 0) at = at + p[parent];
            if (row == model_.hips) at = at + shift;
            q[row] = above * own;
            p[row] = at;
        }
    }

    // What a demand along a direction asks of unknowns: torque about each joint of a force at a point of a row.
    void along(Index row, Vec3 point, Vec3 direction, double scale, double* jacobian) const {
        const double hung = scale * model_.hung(row);
        jacobian[0] = hung * direction.x, jacobian[1] = hung * direction.y, jacobian[2] = hung * direction.z;
        for (Index u = 0; u < model_.rotated.shape[0]; ++u) {
            double* own = jacobian + 3 + 3 * u;
            if (!model_.carried(u, row)) {
                own[0] = own[1] = own[2] = 0.0;
                continue;
            }
            turn(u, cross(point - p[model_.rotated(u)], direction), scale, own);
        }
    }

    void turn(Index u, Vec3 torque, double scale, double* own) const {
        for (int j = 0; j < 3; ++j) own[j] = scale * dot(axes[u][j], torque);
    }

    const TrunkRows& model_;
    std::vector<Quat> q;
    std::vector<Vec3> p;
    std::vector<Columns> axes;

   private:
    Vec3 column(Index u, Index j) const { return {model_.axes(u, 0, j), model_.axes(u, 1, j), model_.axes(u, 2, j)}; }
    std::vector<Index> place_;
};

// Reweight a row so that it pulls no harder beyond a size.
void yield(double* residual, double* jacobian, Index count, double limit = YIELDING) {
    const double weight = 1.0 / std::sqrt(std::sqrt(1.0 + square(*residual / limit)));
    *residual *= weight;
    for (Index n = 0; n < count; ++n) jacobian[n] *= weight;
}

void add_reach(const TrunkPose& pose, const Reaches& given, Index m, Index t, double* residual, double* jacobian) {
    const Index row = given.rows(m);
    const double weight = given.weights(m, t), zone = given.zones(m, t), tolerance = given.tolerances(m);
    const Vec3 start = pose.p[row], carried = rotate(pose.q[row], read_vector(given.carried.at(m, t)));
    const Vec3 line = weight * (read_vector(given.targets.at(m, t)) - start) + (1.0 - weight) * carried;
    const double distance = norm(line);
    const Vec3 direction = line / most(distance, 1e-9);
    // Nothing is asked of a limb that reaches with ease; over two zones the pull comes smoothly.
    const double past = most((distance - given.ease(m, t)) / zone, 0.0);
    const double pull = past < 2.0 ? 0.25 * square(past) : past - 1.0, slope = least(0.5 * past, 1.0);
    *residual = zone * pull / tolerance;
    const double scale = slope / tolerance;
    pose.along(row, start, direction, -weight * scale, jacobian);
    const Vec3 twisting = cross(carried, direction);
    for (Index u = 0; u < pose.model_.rotated.shape[0] && weight < 1.0; ++u) {
        if (!pose.model_.carried(u, row)) continue;
        double own[3];
        pose.turn(u, twisting, (1.0 - weight) * scale, own);
        for (int j = 0; j < 3; ++j) jacobian[3 + 3 * u + j] += own[j];
    }
}

void add_centre(const TrunkPose& pose, const Centre& given, Index t, double* residuals, double* jacobian, Index count) {
    const TrunkRows& model = pose.model_;
    const Index parts = given.rows.shape[0];
    Vec3 centre = {0.0, 0.0, 0.0};
    double moved = 0.0;
    std::vector<Vec3> lever(model.rotated.shape[0], Vec3{0.0, 0.0, 0.0});
    for (Index s = 0; s < parts; ++s) {
        const Index row = given.rows(s);
        const Vec3 carried = pose.p[row] + rotate(pose.q[row], read_vector(given.offsets.at(t, s)));
        const Vec3 start = read_vector(given.start.at(t, s));
        const double mass = given.masses(s) * given.shares(t, s);
        centre = centre + given.masses(s) * start + mass * (carried - start);
        moved += mass * model.hung(row);
        for (Index u = 0; u < model.rotated.shape[0]; ++u)
            if (model.carried(u, row)) lever[u] = lever[u] + mass * (carried - pose.p[model.rotated(u)]);
    }
    const double away[2] = {centre.x - given.target(t, 0), centre.z - given.target(t, 1)};
    const Vec3 directions[2] = {{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
    const double weight = given.weight(t), distance = std::hypot(away[0], away[1]);
    for (int axis = 0; axis < 2; ++axis) {
        double* own = jacobian + axis * count;
        own[0] = own[1] = own[2] = 0.0;
        own[axis == 0 ? 0 : 2] = moved;
        for (Index u = 0; u < model.rotated.shape[0]; ++u)
            pose.turn(u, cross(lever[u], directions[axis]), 1.0, own + 3 + 3 * u);
        residuals[axis] = weight * away[axis];
    }
    double* outward = jacobian + 2 * count;
    const double held = distance > given.room(t) ? given.free(t) : 0.0;
    residuals[2] = held > 0.0 ? held * (distance - given.room(t)) : 0.0;
    for (Index n = 0; n < count; ++n) {
        outward[n] = held > 0.0 ? held * (away[0] * jacobian[n] + away[1] * jacobian[count + n]) / distance : 0.0;
        jacobian[n] *= weight, jacobian[count + n] *= weight;
    }
}

void add_gaze(const TrunkPose& pose, const Gaze& given, Index t, double* residuals, double* jacobian, Index count) {
    const TrunkRows& model = pose.model_;
    const Index row = given.row(0);
    const Quat head = pose.q[row];
    const Vec3 ahead = rotate(head, read_vector(given.ahead.data));
    const Vec3 line = read_vector(given.target.at(t)) - (pose.p[row] + rotate(head, read_vector(given.origin.data)));
    const double weight = given.weight(t);
    Vec3 error = {0.0, 0.0, 0.0};
    if (norm(line) > 1e-6) {
        const Quat facing = read_quaternion(given.facing.at(t));
        const Quat aim = quaternion_between(rotate(facing, read_vector(given.ahead.data)), line) * facing;
        error = quaternion_logarithm(aim * conjugate(head));
        error = error - (1.0 - UPRIGHT) * dot(error, ahead) * ahead;
    }
    residuals[0] = weight * error.x, residuals[1] = weight * error.y, residuals[2] = weight * error.z;
    std::fill(jacobian, jacobian + 3 * count, 0.0);
    for (Index u = 0; u < model.rotated.shape[0]; ++u) {
        if (!model.carried(u, row)) continue;
        for (int j = 0; j < 3; ++j) {
            const Vec3 axis = pose.axes[u][j], across = axis - (1.0 - UPRIGHT) * dot(axis, ahead) * ahead;
            double* own = jacobian + 3 + 3 * u + j;
            own[0] = -weight * across.x, own[count] = -weight * across.y, own[2 * count] = -weight * across.z;
        }
    }
}

// Residuals (T, R) and Jacobian (T, R, N) at unknowns (T, N) of T poses of K rows: reaches, points in threes, the
// centre of mass's three and the gaze's three, where there are any.
static void linearise(const TrunkRows& model, Floats<3> local, Floats<3> translations, Floats<2> unknowns,
                      const Reaches& reaches, const Points& points, const Centre& centre, const Gaze& gaze,
                      FloatsOut<2> residuals, FloatsOut<3> jacobian) {
    const Index count = unknowns.shape[1];
    TrunkPose pose(model);
    for (Index t = 0; t < unknowns.shape[0]; ++t) {
        pose.pose(local.at(t), translations.at(t), unknowns.at(t), true);
        Index r = 0;
        for (Index m = 0; m < reaches.rows.shape[0]; ++m, ++r) {
            add_reach(pose, reaches, m, t, residuals.at(t, r), jacobian.at(t, r));
            if (!reaches.legs(m)) yield(residuals.at(t, r), jacobian.at(t, r), count);
        }
        for (Index m = 0; m < points.rows.shape[0]; ++m) {
            const Index row = points.rows(m);
            const Vec3 point = pose.p[row] + rotate(pose.q[row], read_vector(points.offsets.at(m, t)));
            const Vec3 away = point - read_vector(points.targets.at(m, t));
            const Vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
            for (int axis = 0; axis < 3; ++axis, ++r) {
                residuals(t, r) = points.weights(m, t) * dot(away, axes[axis]);
                pose.along(row, point, axes[axis], points.weights(m, t), jacobian.at(t, r));
                yield(residuals.at(t, r), jacobian.at(t, r), count);
            }
        }
        if (centre.rows.shape[0] > 0) {
            add_centre(pose, centre, t, residuals.at(t, r), jacobian.at(t, r), count);
            r += 3;
            for (int axis = 0; axis < 2; ++axis)
                yield(residuals.at(t, r - 3 + axis), jacobian.at(t, r - 3 + axis), count, CENTRE_YIELDING);
        }
        if (gaze.row.shape[0] > 0) {
            add_gaze(pose, gaze, t, residuals.at(t, r), jacobian.at(t, r), count);
            for (int axis = 0; axis < 3; ++axis, ++r) yield(residuals.at(t, r), jacobian.at(t, r), count);
        }
    }
}

// World rotations (T, K, 4) and positions (T, K, 3) of the rows.
static void trunk_poses(const TrunkRows& model, Floats<3> local, Floats<3> translations, Floats<2> unknowns,
                        FloatsOut<3> rotations, FloatsOut<3> positions) {
    TrunkPose pose(model);
    for (Index t = 0; t < unknowns.shape[0]; ++t) {
        pose.pose(local.at(t), translations.at(t), unknowns.at(t), false);
        for (Index row = 0; row < model.parents.shape[0]; ++row) {
            write_quaternion(rotations.at(t, row), pose.q[row]);
            write_vector(positions.at(t, row), pose.p[row]);
        }
    }
}

// Lower hips in unknowns (T, N), in place, until no leg is too short for its foot, as far as that holds.
static void lower_hips(const TrunkRows& model, Floats<3> local, Floats<3> translations, const Reaches& reaches,
                       FloatsOut<2> unknowns) {
    TrunkPose pose(model);
    for (Index t = 0; t < unknowns.shape[0]; ++t) {
        pose.pose(local.at(t), translations.at(t), unknowns.at(t), false);
        double drop = 0.0;
        for (Index m = 0; m < reaches.rows.shape[0]; ++m) {
            if (!reaches.legs(m)) continue;
            const Vec3 line = pose.p[reaches.rows(m)] - read_vector(reaches.targets.at(m, t));
            const double ease = reaches.ease(m, t), across = square(line.x) + square(line.z);
            const double height = std::sqrt(most(square(ease) - across, square(0.3 * ease)));
            drop = most(drop, reaches.weights(m, t) * (line.y - height));
        }
        unknowns(t, 1) -= drop;
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::TrunkRows, &kinesphere::TrunkRows::parents, &kinesphere::TrunkRows::rotated,
       &kinesphere::TrunkRows::axes, &kinesphere::TrunkRows::carried, &kinesphere::TrunkRows::hung,
       &kinesphere::TrunkRows::hips);
FIELDS(kinesphere::Reaches, &kinesphere::Reaches::rows, &kinesphere::Reaches::targets, &kinesphere::Reaches::carried,
       &kinesphere::Reaches::weights, &kinesphere::Reaches::ease, &kinesphere::Reaches::zones,
       &kinesphere::Reaches::tolerances, &kinesphere::Reaches::legs);
FIELDS(kinesphere::Points, &kinesphere::Points::rows, &kinesphere::Points::offsets, &kinesphere::Points::targets,
       &kinesphere::Points::weights);
FIELDS(kinesphere::Centre, &kinesphere::Centre::rows, &kinesphere::Centre::offsets, &kinesphere::Centre::shares,
       &kinesphere::Centre::masses, &kinesphere::Centre::start, &kinesphere::Centre::target,
       &kinesphere::Centre::weight, &kinesphere::Centre::room, &kinesphere::Centre::free);
FIELDS(kinesphere::Gaze, &kinesphere::Gaze::row, &kinesphere::Gaze::origin, &kinesphere::Gaze::ahead,
       &kinesphere::Gaze::target, &kinesphere::Gaze::facing, &kinesphere::Gaze::weight);

namespace kinesphere {

KERNELS(shape_system) {
    return {kernel<linearise>("linearise"), kernel<trunk_poses>("trunk_poses"), kernel<lower_hips>("lower_hips")};
}

}  // namespace kinesphere
