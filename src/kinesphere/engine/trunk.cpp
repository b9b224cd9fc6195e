// Trunk rotations from channels, and the trunk's joints in the world.
#include "engine/batch.hpp"
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

constexpr double FORWARD = 0.5235987755982988;        // 30° that clavicles come forward
constexpr double FORWARD_SOFT = 0.12217304763960307;  // and 7° more, softly

namespace {

// What moves the trunk in every frame.
struct TrunkCurves {
    Floats<2> channels;  // (F, C)
    Floats<1> breath;    // (F,) how full the lungs are
    Floats<3> assist;    // (F, 2, 2) of the left and right clavicle: raise and forward, in radians
};

// The linear map from channels to the 3 K numbers of K joints' rotation vectors.
struct TrunkModel {
    Ints<1> sources;    // (N,) channels
    Ints<1> targets;    // (N,) the numbers that they add to
    Floats<1> factors;  // (N,) and by how much
    Floats<1> breath;   // (3 K,) added by a full breath
    Floats<1> stance;   // (3 K,) added always
    Floats<1> lags;     // (K,) frames by which channels are late
    Ints<1> parents;    // (K,) among the K joints, or -1
    Ints<1> clavicles;  // (2,) where the left and right clavicle's three numbers begin
};

// The trunk's joints in the world.
struct TrunkWorld {
    Ints<1> joints;          // (K,)
    FloatsOut<3> rotations;  // (F, K, 4)
    FloatsOut<3> positions;  // (F, K, 3)
};

// Keep a clavicle from coming farther forward, or going farther back, than joints bear: a shoulder has several reasons
// to, and each by itself is fine.
void limit_clavicle(Vec3& vector) {
    const double over = std::abs(vector.y) - FORWARD;
    if (over > 0.0) vector.y = std::copysign(FORWARD + FORWARD_SOFT * std::tanh(over / FORWARD_SOFT), vector.y);
}

}  // namespace

// Write local rotations (F, J, 4) of the trunk's joints and where these are in the world, by forward kinematics.
static void solve_trunk(const BatchRows& rows, const TrunkCurves& curves, const TrunkModel& model,
                        Floats<3> translations, FloatsOut<3> local, const TrunkWorld& world) {
    const Index size = model.stance.shape[0], terms = model.sources.shape[0], joints = world.joints.shape[0];
    const Scratch<double, 2> vectors(rows.longest(), size);
    const Scratch<double, 1> more(size);
    std::vector<Delay> delays;
    for (Index k = 0; k < joints; ++k) delays.emplace_back(model.lags(k));
    for (Index s = 0; s < rows.starts.shape[0]; ++s) {
        const Index first = rows.starts(s), count = rows.counts(s);
        const bool loop = rows.loops(s);
        for (Index i = 0; i < count; ++i) {
            double* own = vectors.at(i);
            const double* channels = curves.channels.at(first + i);
            for (Index n = 0; n < size; ++n) own[n] = 0.0;
            for (Index n = 0; n < terms; ++n) own[model.targets(n)] += model.factors(n) * channels[model.sources(n)];
        }
        for (Index i = 0; i < count; ++i) {
            const Index f = first + i;
            const double breath = curves.breath(f);
            for (Index n = 0; n < size; ++n) more(n) = model.stance(n) + model.breath(n) * breath;
            for (Index side = 0; side < 2; ++side) {
                const double sign = side == 0 ? 1.0 : -1.0;
                const Index c = model.clavicles(side);
                more(c + 2) += sign * curves.assist(f, side, 0);
                more(c + 1) -= sign * curves.assist(f, side, 1);
            }
            const double* translated = translations.at(f);
            double* rotated = local.at(f);
            double *world_rotation = world.rotations.at(f), *world_position = world.positions.at(f);
            for (Index k = 0; k < joints; ++k) {
                Vec3 vector = read_vector(vectors.at(i, 3 * k));
                if (model.lags(k) != 0.0) {
                    const auto [a, b] = delays[k].frames(i, count, loop);
                    vector = delays[k].between(read_vector(vectors.at(a, 3 * k)), read_vector(vectors.at(b, 3 * k)));
                }
                const Index joint = world.joints(k), parent = model.parents(k);
                vector = read_vector(more.at(3 * k)) + vector;
                if (3 * k == model.clavicles(0) || 3 * k == model.clavicles(1)) limit_clavicle(vector);
                Quat rotation = exponential_quaternion(vector);
                Vec3 position = read_vector(translated + 3 * joint);
                write_quaternion(rotated + 4 * joint, rotation);
                if (parent >= 0) {
                    const Quat q = read_quaternion(world_rotation + 4 * parent);
                    rotation = q * rotation;
                    position = read_vector(world_position + 3 * parent) + rotate(q, position);
                }
                write_quaternion(world_rotation + 4 * k, rotation);
                write_vector(world_position + 3 * k, position);
            }
        }
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::TrunkCurves, &kinesphere::TrunkCurves::channels, &kinesphere::TrunkCurves::breath,
       &kinesphere::TrunkCurves::assist);
FIELDS(kinesphere::TrunkModel, &kinesphere::TrunkModel::sources, &kinesphere::TrunkModel::targets,
       &kinesphere::TrunkModel::factors, &kinesphere::TrunkModel::breath, &kinesphere::TrunkModel::stance,
       &kinesphere::TrunkModel::lags, &kinesphere::TrunkModel::parents, &kinesphere::TrunkModel::clavicles);
FIELDS(kinesphere::TrunkWorld, &kinesphere::TrunkWorld::joints, &kinesphere::TrunkWorld::rotations,
       &kinesphere::TrunkWorld::positions);

namespace kinesphere {

KERNELS(trunk) { return {kernel<solve_trunk>("solve_trunk")}; }

}  // namespace kinesphere
