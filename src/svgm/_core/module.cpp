// Python's view of the core: arrays in, arrays out.
#include "module.hpp"

NB_MODULE(_native, m) {
  bind_svm(m);
  bind_thin(m);
  bind_gauss_transform(m);
  bind_registration(m);
  bind_surface(m);
  bind_pose_bounds(m);
}
