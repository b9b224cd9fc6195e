// Arrays for native loops: C-ordered NumPy arrays as pointer and shape, scratch arrays, small vectors and quaternions.
//
// A loop takes `Floats<2>` for an array that it reads and `FloatsOut<2>` for one that it writes. Elements are a(i, j);
// `a.at(i)` is a pointer to the first element of row i. Indices are checked in `make sanitize` only: whoever calls a
// loop passes arrays of the shapes that its comment names. binding.hpp checks type, number of axes, order and whether
// an array may be written.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <vector>

// Before a hot loop over many numbers: it is built for AVX2 as well, and the processor decides when the module is
// loaded. The operations and their order are the same, and so are the bits.
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    defined(NDEBUG)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

namespace kinesphere {

using Index = std::int64_t;

template <class T, int N>
struct Array {
    T* data = nullptr;
    Index shape[N] = {};

    // A pointer to the element, or to the first one of a row. It may be that past the last row, if it is not read.
    template <class... I>
    T* at(I... indices) const {
        static_assert(sizeof...(I) <= N, "more indices than axes");
        const Index place[] = {static_cast<Index>(indices)...};
        Index offset = 0;
        for (int axis = 0; axis < N; ++axis) {
            const bool given = axis < static_cast<int>(sizeof...(I));
            assert(!given || (place[axis] >= 0 && place[axis] <= shape[axis]));
            offset = offset * shape[axis] + (given ? place[axis] : 0);
        }
        return data + offset;
    }

    template <class... I>
    T& operator()(I... indices) const {
        static_assert(sizeof...(I) == N, "an index for every axis");
        T* element = at(indices...);
        assert(element < data + size());
        return *element;
    }

    Index size() const {
        Index count = 1;
        for (int axis = 0; axis < N; ++axis) count *= shape[axis];
        return count;
    }

    operator Array<const T, N>() const {
        Array<const T, N> view;
        view.data = data;
        for (int axis = 0; axis < N; ++axis) view.shape[axis] = shape[axis];
        return view;
    }
};

template <int N>
using Floats = Array<const double, N>;
template <int N>
using FloatsOut = Array<double, N>;
template <int N>
using Ints = Array<const std::int64_t, N>;
template <int N>
using IntsOut = Array<std::int64_t, N>;
template <int N>
using Bools = Array<const bool, N>;
template <int N>
using BoolsOut = Array<bool, N>;

// An array that a loop makes for itself, zero at first.
template <class T, int N>
struct Scratch : Array<T, N> {
    template <class... I>
    explicit Scratch(I... lengths) {
        static_assert(sizeof...(I) == N, "a length for every axis");
        const Index given[] = {static_cast<Index>(lengths)...};
        double count = sizeof(T);
        for (int axis = 0; axis < N; ++axis) {
            this->shape[axis] = given[axis];
            count *= static_cast<double>(given[axis]);
        }
        if (!(count >= 0.0 && count < 9e18)) throw std::bad_alloc();
        memory_.resize(static_cast<std::size_t>(this->size()) * sizeof(T));
        this->data = reinterpret_cast<T*>(memory_.data());
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

   private:
    std::vector<unsigned char> memory_;
};

struct Vec3 {
    double x, y, z;
};

struct Quat {
    double w, x, y, z;
};

// Python's min and max of two numbers: the first of equals, and what comparisons make of NaN.
inline double least(double a, double b) { return b < a ? b : a; }
inline double most(double a, double b) { return b > a ? b : a; }
inline Index least(Index a, Index b) { return b < a ? b : a; }
inline Index most(Index a, Index b) { return b > a ? b : a; }
inline double clamp(double value, double low, double high) { return least(most(value, low), high); }

// The remainder with the sign of the divisor, as Python's %.
inline Index modulo(Index a, Index b) {
    const Index rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

inline double square(double x) { return x * x; }

}  // namespace kinesphere
