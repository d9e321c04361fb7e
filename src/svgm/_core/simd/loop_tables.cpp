// Each innermost loop exists once per instruction set, as a table of functions; here one of the copies is chosen.
#include "objective/field_loop.hpp"
#include "objective/full_loop.hpp"
#include "search/bound_loop.hpp"
#include "simd/instruction_set.hpp"
#include "sums/pair_loop.hpp"
#include "surfels/alignment_loop.hpp"
#include "svm/svm_loop.hpp"

#ifdef SVGM_X86
#define SVGM_AVX2_OR(table, other) (instruction_set() == InstructionSet::avx2 ? avx2::table : other)
#define SVGM_DECLARE_AVX2(type, table) namespace avx2 { extern const type table; }
#else
#define SVGM_AVX2_OR(table, other) other
#define SVGM_DECLARE_AVX2(type, table)
#endif
#ifdef SVGM_AVX512
#define SVGM_AVX512_OR(table, other) (instruction_set() == InstructionSet::avx512 ? avx512::table : other)
#define SVGM_DECLARE_AVX512(type, table) namespace avx512 { extern const type table; }
#else
#define SVGM_AVX512_OR(table, other) other
#define SVGM_DECLARE_AVX512(type, table)
#endif
#define SVGM_DECLARE(type, table)                   \
  namespace baseline { extern const type table; }   \
  SVGM_DECLARE_AVX2(type, table)                    \
  SVGM_DECLARE_AVX512(type, table)
#define SVGM_CHOSEN(table) SVGM_AVX512_OR(table, SVGM_AVX2_OR(table, baseline::table))

namespace svgm {

SVGM_DECLARE(PairLoop, kPairLoop)
SVGM_DECLARE(FieldLoop, kFieldLoop)
SVGM_DECLARE(FullLoop, kFullLoop)
SVGM_DECLARE(BoundLoop, kBoundLoop)
SVGM_DECLARE(AlignmentLoop, kAlignmentLoop)
SVGM_DECLARE(SvmLoop<float>, kSvmLoopSingle)
SVGM_DECLARE(SvmLoop<double>, kSvmLoopDouble)

// Chosen once, when first needed.
const PairLoop& pair_loop() {
  static const PairLoop& chosen = SVGM_CHOSEN(kPairLoop);
  return chosen;
}

const FieldLoop& field_loop() {
  static const FieldLoop& chosen = SVGM_CHOSEN(kFieldLoop);
  return chosen;
}

const FullLoop& full_loop() {
  static const FullLoop& chosen = SVGM_CHOSEN(kFullLoop);
  return chosen;
}

const BoundLoop& bound_loop() {
  static const BoundLoop& chosen = SVGM_CHOSEN(kBoundLoop);
  return chosen;
}

const AlignmentLoop& alignment_loop() {
  static const AlignmentLoop& chosen = SVGM_CHOSEN(kAlignmentLoop);
  return chosen;
}

template <>
const SvmLoop<float>& svm_loop<float>() {
  static const SvmLoop<float>& chosen = SVGM_CHOSEN(kSvmLoopSingle);
  return chosen;
}

template <>
const SvmLoop<double>& svm_loop<double>() {
  static const SvmLoop<double>& chosen = SVGM_CHOSEN(kSvmLoopDouble);
  return chosen;
}

}  // namespace svgm
