// Bindings of native loops to Python, on the stable ABI: a loop's parameter types say what Python must pass.
//
//     static void scale(Floats<2> values, double by, FloatsOut<2> out) { … }
//     KERNELS(filters) { return {kernel<scale>("scale")}; }
//
// makes `kinesphere._native.filters.scale`. Parameters are arrays, numbers, and NamedTuples of them: structs for which
// `FIELDS(Struct, &Struct::first, &Struct::second, …)` lists all members in the tuple's order. Loops run without the
// interpreter's lock. They return nothing, a number, a bool, or a Vec3 or Quat as a tuple.
#pragma once

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include <exception>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "array.hpp"

namespace kinesphere {

// NumPy's name of the element type that an array must have, for the check and for its error message.
template <class T>
constexpr const char* element_name() {
    using U = std::remove_const_t<T>;
    if constexpr (std::is_same_v<U, double>)
        return "float64";
    else if constexpr (std::is_same_v<U, float>)
        return "float32";
    else if constexpr (std::is_same_v<U, std::int64_t>)
        return "int64";
    else if constexpr (std::is_same_v<U, std::int32_t>)
        return "int32";
    else if constexpr (std::is_same_v<U, std::uint32_t>)
        return "uint32";
    else if constexpr (std::is_same_v<U, bool>)
        return "bool";
    else
        return "uint8";
}

// Get a C-ordered buffer, or set a TypeError that says what was expected. Defined in binding.cpp.
bool get_buffer(PyObject* object, Py_buffer* buffer, const char* element, int axes, bool writable);

// One argument: `load` reads it from Python, `value` is what the loop gets; it lives until the loop has returned.
template <class T, class = void>
struct Argument;

template <class T, int N>
struct Argument<Array<T, N>> {
    Array<T, N> value;
    Py_buffer buffer = {};
    Argument() = default;
    Argument(const Argument&) = delete;
    ~Argument() { PyBuffer_Release(&buffer); }
    bool load(PyObject* object) {
        if (!get_buffer(object, &buffer, element_name<T>(), N, !std::is_const_v<T>)) return false;
        value.data = static_cast<T*>(buffer.buf);
        for (int axis = 0; axis < N; ++axis) value.shape[axis] = buffer.shape[axis];
        return true;
    }
};

template <>
struct Argument<double> {
    double value = 0.0;
    bool load(PyObject* object) {
        value = PyFloat_AsDouble(object);
        return !(value == -1.0 && PyErr_Occurred());
    }
};

template <>
struct Argument<Index> {
    Index value = 0;
    bool load(PyObject* object) {
        value = PyNumber_AsSsize_t(object, PyExc_OverflowError);
        return !(value == -1 && PyErr_Occurred());
    }
};

template <>
struct Argument<bool> {
    bool value = false;
    bool load(PyObject* object) {
        const int truth = PyObject_IsTrue(object);
        value = truth == 1;
        return truth >= 0;
    }
};

// The members of a struct, in the order of its NamedTuple.
template <class S>
struct Fields;

#define FIELDS(STRUCT, ...)                                           \
    template <>                                                       \
    struct kinesphere::Fields<STRUCT> {                               \
        static constexpr auto members = std::make_tuple(__VA_ARGS__); \
    }

template <class S, class T>
Argument<T> argument_of(T S::*);

template <class S>
struct Argument<S, std::void_t<decltype(Fields<S>::members)>> {
    template <class... M>
    static std::tuple<decltype(argument_of(std::declval<M>()))...> arguments_of(const std::tuple<M...>&);

    S value = {};
    decltype(arguments_of(Fields<S>::members)) arguments;

    bool load(PyObject* object) {
        constexpr std::size_t count = std::tuple_size_v<decltype(arguments)>;
        if (!PyTuple_Check(object) || PyTuple_Size(object) != static_cast<Py_ssize_t>(count)) {
            PyErr_Format(PyExc_TypeError, "expected a tuple of %d; found %R", static_cast<int>(count), object);
            return false;
        }
        return load_all(object, std::make_index_sequence<count>());
    }

   private:
    template <std::size_t... I>
    bool load_all(PyObject* object, std::index_sequence<I...>) {
        const bool fine = (std::get<I>(arguments).load(PyTuple_GetItem(object, I)) && ...);
        if (fine) ((value.*std::get<I>(Fields<S>::members) = std::get<I>(arguments).value), ...);
        return fine;
    }
};

inline PyObject* to_python(double value) { return PyFloat_FromDouble(value); }
inline PyObject* to_python(Index value) { return PyLong_FromLongLong(value); }
inline PyObject* to_python(bool value) { return PyBool_FromLong(value); }
inline PyObject* to_python(const Vec3& v) { return Py_BuildValue("(ddd)", v.x, v.y, v.z); }
inline PyObject* to_python(const Quat& q) { return Py_BuildValue("(dddd)", q.w, q.x, q.y, q.z); }

// The name of a loop, for messages.
template <auto F>
struct LoopName {
    static inline const char* value = "";
};

// Load the arguments one after the other; an error says whose argument it is about. Defined in binding.cpp.
void name_argument(const char* loop, int argument);

template <auto F, class T>
bool load_argument(T& argument, PyObject* given, int number) {
    if (argument.load(given)) return true;
    name_argument(LoopName<F>::value, number);
    return false;
}

// Run without the interpreter's lock. What C++ throws becomes a Python error: a loop may run out of memory.
template <class Run>
bool run_unlocked(Run run) {
    std::string failed;
    bool memory = false;
    PyThreadState* state = PyEval_SaveThread();
    try {
        run();
    } catch (const std::bad_alloc&) {
        memory = true;
    } catch (const std::exception& error) {
        failed = error.what();
    }
    PyEval_RestoreThread(state);
    if (memory) PyErr_NoMemory();
    if (!failed.empty()) PyErr_SetString(PyExc_RuntimeError, failed.c_str());
    return !memory && failed.empty();
}

template <auto F, class R, class... A, std::size_t... I>
PyObject* call_loop(PyObject* const* given, R (*)(A...), std::index_sequence<I...>) {
    std::tuple<Argument<std::remove_cv_t<std::remove_reference_t<A>>>...> arguments;
    if (!(load_argument<F>(std::get<I>(arguments), given[I], static_cast<int>(I) + 1) && ...)) return nullptr;
    if constexpr (std::is_void_v<R>) {
        if (!run_unlocked([&] { F(std::get<I>(arguments).value...); })) return nullptr;
        Py_RETURN_NONE;
    } else {
        R made = {};
        if (!run_unlocked([&] { made = F(std::get<I>(arguments).value...); })) return nullptr;
        return to_python(made);
    }
}

template <class R, class... A>
constexpr std::size_t arity(R (*)(A...)) {
    return sizeof...(A);
}

template <auto F>
PyObject* call(PyObject*, PyObject* const* given, Py_ssize_t count) {
    constexpr std::size_t expected = arity(F);
    if (count != static_cast<Py_ssize_t>(expected)) {
        PyErr_Format(PyExc_TypeError,
                     "%s: expected %d arguments; found %zd (was the extension built from these sources?)",
                     LoopName<F>::value, static_cast<int>(expected), count);
        return nullptr;
    }
    return call_loop<F>(given, F, std::make_index_sequence<expected>());
}

template <auto F>
PyMethodDef kernel(const char* name) {
    LoopName<F>::value = name;
    // The cast is how Python wants METH_FASTCALL functions passed.
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call<F>)), METH_FASTCALL, nullptr};
}

// The loops of one file, found when the module is imported.
struct KernelFile {
    KernelFile(const char* name, std::vector<PyMethodDef> (*list)());
};

#define KERNELS(NAME)                                                          \
    static std::vector<PyMethodDef> kernels_of_##NAME();                       \
    static const kinesphere::KernelFile file_##NAME(#NAME, kernels_of_##NAME); \
    static std::vector<PyMethodDef> kernels_of_##NAME()

}  // namespace kinesphere
