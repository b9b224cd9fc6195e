// The last steps of a picture: ghosts blended into the ground, and samples averaged and encoded as sRGB bytes.
#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// The byte of linear light. NaN is black: it must not become an index.
static std::uint8_t encode_srgb(double light, const std::uint8_t* table, double greatest) {
    return light > 0.0 ? table[static_cast<int>(least(light, 1.0) * greatest + 0.5)] : table[0];
}

// Average the samples of each pixel over the ground, and encode them as sRGB bytes by `table`. Samples (H', W', 3)
// cover only a part of the picture, from the pixel `corner` (right, down) on.
static void resolve(Array<const float, 3> samples, Array<const std::int32_t, 2> ids, Ints<1> corner,
                    Index supersampling, Array<const float, 3> ground, Array<const std::uint8_t, 1> table,
                    Array<std::uint8_t, 3> out) {
    const double share = 1.0 / static_cast<double>(supersampling * supersampling);
    const double greatest = static_cast<double>(table.shape[0] - 1);
    const std::uint8_t* const bytes = table.data;
    const Index wide = out.shape[1], samples_wide = ids.shape[1];
    for (Index row = 0; row < out.shape[0]; ++row) {
        const Index top = (row - corner(1)) * supersampling;
        const bool beside = top < 0 || top >= ids.shape[0];
        const Index first = beside ? wide : most(corner(0), Index{0});
        const Index last = beside ? wide : least(corner(0) + (samples_wide + supersampling - 1) / supersampling, wide);
        const float* const under = ground.at(row);
        std::uint8_t* const to = out.at(row);
        for (Index k = 0; k < 3 * least(first, wide); ++k) to[k] = encode_srgb(under[k], bytes, greatest);
        for (Index column = first; column < last; ++column) {
            const float* const tone = under + 3 * column;
            const Index left = (column - corner(0)) * supersampling;
            double red = 0.0, green = 0.0, blue = 0.0;
            for (Index i = top; i < top + supersampling; ++i) {
                for (Index j = left; j < left + supersampling; ++j) {
                    const Index sample = i * samples_wide + j;
                    const float* const shown = ids.data[sample] >= 0 ? samples.data + 3 * sample : tone;
                    red += shown[0], green += shown[1], blue += shown[2];
                }
            }
            to[3 * column] = encode_srgb(red * share, bytes, greatest);
            to[3 * column + 1] = encode_srgb(green * share, bytes, greatest);
            to[3 * column + 2] = encode_srgb(blue * share, bytes, greatest);
        }
        for (Index k = 3 * most(last, Index{0}); k < 3 * wide; ++k) to[k] = encode_srgb(under[k], bytes, greatest);
    }
}

// A rasterised surface that is drawn pale.
struct Ghost {
    Array<const std::int32_t, 2> ids;  // (H', W') triangle of each sample, -1 for none
    Ints<1> corner;                    // (2,) the pixel where the samples start
    Index supersampling;
    Floats<2> normals;  // (V, 3) in the camera's frame: right, up, back
    Ints<2> triangles;  // (F, 3)
    Floats<2> colours;  // (V, 3) linear
    double opacity;
};

// One tone over another, blended about as sRGB values are: pale orange stays orange.
static double blend_paint(double under, double over, double opacity) {
    double tone = std::sqrt(most(under, 0.0));
    tone += opacity * (std::sqrt(most(over, 0.0)) - tone);
    return tone * tone;
}

// Blend a ghost into `ground (H, W, 3)`, lit simply from above and from the left. It is blended with the `bare` ground,
// so that ghosts behind it don't show through and make a muddle.
static void blend_ghost(const Ghost& ghost, Array<const float, 3> bare, Array<float, 3> ground) {
    const Index finer = ghost.supersampling;
    const double share = 1.0 / static_cast<double>(finer * finer);
    for (Index row = 0; row < ghost.ids.shape[0] / finer; ++row) {
        for (Index column = 0; column < ghost.ids.shape[1] / finer; ++column) {
            double cover = 0.0;
            Vec3 paint = {0.0, 0.0, 0.0};
            for (Index i = row * finer; i < (row + 1) * finer; ++i) {
                for (Index j = column * finer; j < (column + 1) * finer; ++j) {
                    const std::int32_t number = ghost.ids(i, j);
                    if (number < 0) continue;
                    const Index* triangle = ghost.triangles.at(number);
                    const double *a = ghost.normals.at(triangle[0]), *b = ghost.normals.at(triangle[1]);
                    const double* c = ghost.normals.at(triangle[2]);
                    const double light = 0.78 + 0.11 * (a[1] + b[1] + c[1]) - 0.08 * (a[0] + b[0] + c[0]);
                    cover += 1.0;
                    paint = paint + light * read_vector(ghost.colours.at(triangle[0]));
                }
            }
            if (cover == 0.0) continue;
            const double alpha = share * cover, over[3] = {paint.x / cover, paint.y / cover, paint.z / cover};
            const float* const under = bare.at(row + ghost.corner(1), column + ghost.corner(0));
            float* const tone = ground.at(row + ghost.corner(1), column + ghost.corner(0));
            for (int k = 0; k < 3; ++k) {
                const double before = tone[k];
                tone[k] = static_cast<float>(before + alpha * (blend_paint(under[k], over[k], ghost.opacity) - before));
            }
        }
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::Ghost, &kinesphere::Ghost::ids, &kinesphere::Ghost::corner, &kinesphere::Ghost::supersampling,
       &kinesphere::Ghost::normals, &kinesphere::Ghost::triangles, &kinesphere::Ghost::colours,
       &kinesphere::Ghost::opacity);

namespace kinesphere {

KERNELS(render) { return {kernel<resolve>("resolve"), kernel<blend_ghost>("blend_ghost")}; }

}  // namespace kinesphere
