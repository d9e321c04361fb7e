// The Python module `svgm._core._native`: arrays in, arrays out.  The other files here bind one folder of the core
// each.
#include "binding/module.hpp"

#include <exception>
#include <new>
#include <stdexcept>

#include "simd/instruction_set.hpp"

namespace {

constexpr const char* kNoMemory = "not enough memory for what the core was asked to compute";

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const svgm::NoSuchInstructions& mistake) {
    PyErr_SetString(nb::module_::import_("svgm.checks.errors").attr("InputError").ptr(), mistake.what());
  } catch (const svgm::Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, kNoMemory);
  } catch (const std::length_error&) {  // a container larger than the address space
    PyErr_SetString(PyExc_MemoryError, kNoMemory);
  }
}

nb::object run(const Stop& stop, nb::callable function, nb::args arguments) {
  const StopScope scope(stop);
  return function(*arguments);
}

}  // namespace

NB_MODULE(_native, m) {
  nb::set_leak_warnings(false);  // daemon threads may still hold objects when Python ends
  track_interpreter();
  nb::register_exception_translator(translate);
  nb::class_<Stop>(m, "Stop")
      .def(nb::init<>())
      .def("set", [](Stop& stop) { stop.requested = true; })
      .def("run", &run);
  m.def("instruction_set", [] { return svgm::name(svgm::instruction_set()); });
  m.def("instruction_sets", [] {
    nb::list names;
    for (const svgm::InstructionSet set : svgm::instruction_sets()) names.append(svgm::name(set));
    return names;
  });
  bind_points(m);
  bind_svm(m);
  bind_sums(m);  // before the files whose functions take a BoxTree
  bind_registration(m);
  bind_surfels(m);
  bind_search(m);
}
