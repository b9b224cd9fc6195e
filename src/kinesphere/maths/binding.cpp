// The extension module `kinesphere._native`: one submodule for every file of loops.
#include "binding.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

namespace kinesphere {

namespace {

struct File {
    const char* name;
    std::vector<PyMethodDef> (*list)();
    std::vector<PyMethodDef> methods;  // Python keeps pointers into it
};

std::vector<File>& files() {
    static std::vector<File> all;
    return all;
}

// Whether a buffer's element format is of a kind. NumPy writes int64 as 'l' or 'q', by platform.
bool matches(const Py_buffer& buffer, const char* element) {
    const char* format = buffer.format ? buffer.format : "B";
    if (*format == '@' || *format == '=' || *format == '<') ++format;
    if (std::strlen(format) != 1) return false;
    const auto is = [&](const char* kinds, Py_ssize_t bytes) {
        return std::strchr(kinds, *format) != nullptr && buffer.itemsize == bytes;
    };
    const std::string name = element;
    if (name == "float64") return is("d", 8);
    if (name == "float32") return is("f", 4);
    if (name == "int64") return is("lq", 8);
    if (name == "int32") return is("il", 4);
    if (name == "uint32") return is("IL", 4);
    if (name == "bool") return is("?", 1);
    return is("B", 1);
}

}  // namespace

bool get_buffer(PyObject* object, Py_buffer* buffer, const char* element, int axes, bool writable) {
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, buffer, flags) == 0) {
        if (buffer->ndim == axes && matches(*buffer, element)) return true;
        PyErr_Format(PyExc_TypeError, "expected an array of %s with %d axes; found format '%s' with %d axes", element,
                     axes, buffer->format ? buffer->format : "B", buffer->ndim);
        PyBuffer_Release(buffer);
        return false;
    }
    PyErr_Clear();
    *buffer = {};
    PyErr_Format(PyExc_TypeError, "expected a C-ordered%s array of %s with %d axes; found %R",
                 writable ? ", writable" : "", element, axes, reinterpret_cast<PyObject*>(Py_TYPE(object)));
    return false;
}

void name_argument(const char* loop, int argument) {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_Format(type ? type : PyExc_TypeError, "%s, argument %d: %S", loop, argument, value ? value : Py_None);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

KernelFile::KernelFile(const char* name, std::vector<PyMethodDef> (*list)()) { files().push_back({name, list, {}}); }

}  // namespace kinesphere

static PyModuleDef native_module = {
    PyModuleDef_HEAD_INIT,
    "_native",
    "Compiled loops, a submodule for every file of them.",
    -1,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

// Motions are arrays of some megabytes that come and go with every edit. glibc gives freed memory of that size back to
// the system at once, and each fresh page then costs a fault, which together take longer than the edit, until it has
// seen a large block freed: then it keeps some. So it sees one.
static void keep_freed_memory() {
#ifdef __GLIBC__
    void* volatile block = std::malloc(std::size_t{31} << 20);
    std::free(block);
#endif
}

PyMODINIT_FUNC PyInit__native() {
    keep_freed_memory();
    PyObject* module = PyModule_Create(&native_module);
    if (module == nullptr) return nullptr;
    for (auto& file : kinesphere::files()) {
        file.methods = file.list();
        file.methods.push_back({nullptr, nullptr, 0, nullptr});
        const std::string name = std::string("kinesphere._native.") + file.name;
        PyObject* part = PyModule_New(name.c_str());
        if (part == nullptr || PyModule_AddFunctions(part, file.methods.data()) != 0 ||
            PyModule_AddObjectRef(module, file.name, part) != 0 ||
            PyDict_SetItemString(PyImport_GetModuleDict(), name.c_str(), part) != 0) {
            Py_XDECREF(part);
            Py_DECREF(module);
            return nullptr;
        }
        Py_DECREF(part);
    }
    return module;
}
