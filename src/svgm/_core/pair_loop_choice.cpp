// Which copy of the pair loop this machine runs: the widest instruction set it has.
#include "pair_loop.hpp"

#if defined(SVGM_X86) && defined(_MSC_VER)
#include <intrin.h>
#endif

namespace svgm {

namespace baseline { extern const PairLoop kPairLoop; }
#ifdef SVGM_X86
namespace avx2 { extern const PairLoop kPairLoop; }
#endif
#ifdef SVGM_AVX512
namespace avx512 { extern const PairLoop kPairLoop; }
#endif

namespace {

struct Choice {
  const PairLoop* loop;
  const char* name;
};

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

Choice choose() {
#ifdef SVGM_X86
#ifdef _MSC_VER
  if (machine_has_avx2()) return {&avx2::kPairLoop, "avx2"};
#else
#ifdef SVGM_AVX512
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return {&avx512::kPairLoop, "avx512"};
#endif
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {&avx2::kPairLoop, "avx2"};
#endif
#endif
  return {&baseline::kPairLoop, "baseline"};
}

const Choice& choice() {
  static const Choice chosen = choose();
  return chosen;
}

}  // namespace

const PairLoop& pair_loop() { return *choice().loop; }
const char* pair_loop_name() { return choice().name; }

}  // namespace svgm
