// Mip levels of a texture.
#include "pictures/paint.hpp"

namespace kinesphere {

// The next mip level (h, w, 4) of a texture (H, W, 4) of sRGB and opacity: each texel is the mean, in linear light, of
// those that it covers. `weighted`: clear texels have no colour. `encoded` has the byte of linear light in fine steps.
static void halve_texture(Array<const std::uint8_t, 3> texels, bool weighted, Floats<1> decoded,
                          Array<const std::uint8_t, 1> encoded, Array<std::uint8_t, 3> out) {
    const Index rows = texels.shape[0], columns = texels.shape[1], high = out.shape[0], wide = out.shape[1];
    const double greatest = static_cast<double>(encoded.shape[0] - 1);
    for (Index i = 0; i < high; ++i) {
        const Index top = i * rows / high, bottom = most((i + 1) * rows / high, top + 1);
        for (Index j = 0; j < wide; ++j) {
            const Index left = j * columns / wide, right = most((j + 1) * columns / wide, left + 1);
            double sums[3] = {0.0, 0.0, 0.0}, opacity = 0.0, total = 0.0;
            for (Index row = top; row < bottom; ++row) {
                for (Index column = left; column < right; ++column) {
                    const std::uint8_t* const texel = texels.at(row, column);
                    const double share = weighted ? static_cast<double>(texel[3]) : 255.0;
                    for (int k = 0; k < 3; ++k) sums[k] += share * decoded(texel[k]);
                    opacity += static_cast<double>(texel[3]), total += share;
                }
            }
            const double count = static_cast<double>((bottom - top) * (right - left));
            std::uint8_t* const to = out.at(i, j);
            for (int k = 0; k < 3; ++k) {
                to[k] = total > 0.0 ? encoded(static_cast<Index>(sums[k] / total * greatest + 0.5)) : 0;
            }
            to[3] = static_cast<std::uint8_t>(opacity / count + 0.5);
        }
    }
}

KERNELS(paint) { return {kernel<halve_texture>("halve_texture")}; }

}  // namespace kinesphere
