#include "instruction_set.hpp"

#if defined(SVGM_X86) && defined(_MSC_VER)
#include <intrin.h>
#endif

#include "bound_loop.hpp"
#include "field_loop.hpp"
#include "pair_loop.hpp"
#include "svm_loop.hpp"

namespace svgm {

SVGM_DECLARE(PairLoop, kPairLoop)
SVGM_DECLARE(FieldLoop, kFieldLoop)
SVGM_DECLARE(BoundLoop, kBoundLoop)
SVGM_DECLARE(SvmLoop<float>, kSvmLoopSingle)
SVGM_DECLARE(SvmLoop<double>, kSvmLoopDouble)

namespace {

#if defined(SVGM_X86) && defined(_MSC_VER)
bool machine_has_avx2() {
  int leaf1[4], leaf7[4];
  __cpuid(leaf1, 1);
  const bool fma = leaf1[2] & (1 << 12), saves_state = leaf1[2] & (1 << 27);
  if (!fma || !saves_state || (_xgetbv(0) & 6) != 6) return false;
  __cpuidex(leaf7, 7, 0);
  return leaf7[1] & (1 << 5);
}
#endif

InstructionSet widest() {
#ifdef SVGM_X86
#ifdef _MSC_VER
  if (machine_has_avx2()) return InstructionSet::avx2;
#else
#ifdef SVGM_AVX512
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return InstructionSet::avx512;
#endif
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return InstructionSet::avx2;
#endif
#endif
  return InstructionSet::baseline;
}

}  // namespace

InstructionSet instruction_set() {
  static const InstructionSet chosen = widest();
  return chosen;
}

const char* instruction_set_name() {
  constexpr const char* kNames[] = {"baseline", "avx2", "avx512"};
  return kNames[static_cast<int>(instruction_set())];
}

const PairLoop& pair_loop() { return SVGM_CHOSEN(kPairLoop); }
const FieldLoop& field_loop() { return SVGM_CHOSEN(kFieldLoop); }
const BoundLoop& bound_loop() { return SVGM_CHOSEN(kBoundLoop); }

template <>
const SvmLoop<float>& svm_loop<float>() {
  return SVGM_CHOSEN(kSvmLoopSingle);
}

template <>
const SvmLoop<double>& svm_loop<double>() {
  return SVGM_CHOSEN(kSvmLoopDouble);
}

}  // namespace svgm
