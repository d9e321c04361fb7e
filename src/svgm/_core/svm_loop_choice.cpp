// Which copy of the SVM's loops this machine runs: the one of its pair loop.
#include <string_view>

#include "pair_loop.hpp"
#include "svm_loop.hpp"

namespace svgm {

namespace baseline { extern const SvmLoop<float> kSvmLoopSingle; extern const SvmLoop<double> kSvmLoopDouble; }
#ifdef SVGM_X86
namespace avx2 { extern const SvmLoop<float> kSvmLoopSingle; extern const SvmLoop<double> kSvmLoopDouble; }
#endif
#ifdef SVGM_AVX512
namespace avx512 { extern const SvmLoop<float> kSvmLoopSingle; extern const SvmLoop<double> kSvmLoopDouble; }
#endif

namespace {

struct Choice {
  const SvmLoop<float>* in_single;
  const SvmLoop<double>* in_double;
};

Choice choose() {
  [[maybe_unused]] const std::string_view name = pair_loop_name();
#ifdef SVGM_AVX512
  if (name == "avx512") return {&avx512::kSvmLoopSingle, &avx512::kSvmLoopDouble};
#endif
#ifdef SVGM_X86
  if (name == "avx2") return {&avx2::kSvmLoopSingle, &avx2::kSvmLoopDouble};
#endif
  return {&baseline::kSvmLoopSingle, &baseline::kSvmLoopDouble};
}

const Choice& choice() {
  static const Choice chosen = choose();
  return chosen;
}

}  // namespace

template <>
const SvmLoop<float>& svm_loop<float>() {
  return *choice().in_single;
}

template <>
const SvmLoop<double>& svm_loop<double>() {
  return *choice().in_double;
}

}  // namespace svgm
