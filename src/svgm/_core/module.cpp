// Python's view of the core: arrays in, arrays out.
#include "module.hpp"

#include "instruction_set.hpp"

namespace {

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const svgm::NoSuchInstructions& mistake) {
    PyErr_SetString(nb::module_::import_("svgm.errors").attr("InputError").ptr(), mistake.what());
  }
}

}  // namespace

NB_MODULE(_native, m) {
  nb::register_exception_translator(translate);
  m.def("instruction_set", [] { return svgm::name(svgm::instruction_set()); });
  m.def("instruction_sets", [] {
    nb::list names;
    for (const svgm::InstructionSet set : svgm::instruction_sets()) names.append(svgm::name(set));
    return names;
  });
  bind_svm(m);
  bind_thin(m);
  bind_gauss_transform(m);
  bind_registration(m);
  bind_surface(m);
  bind_pose_bounds(m);
}
