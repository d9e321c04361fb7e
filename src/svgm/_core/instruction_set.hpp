// Which copy of the loops runs: that of the widest instruction set this machine has, or of the one that the environment's
// SVGM_INSTRUCTIONS names when the library is loaded.
#pragma once
#include <stdexcept>
#include <vector>

namespace svgm {

enum class InstructionSet { baseline, avx2, avx512 };

// SVGM_INSTRUCTIONS names no instruction set that this build and this machine have.
struct NoSuchInstructions : std::runtime_error {
  using std::runtime_error::runtime_error;
};

InstructionSet instruction_set();  // throws NoSuchInstructions
std::vector<InstructionSet> instruction_sets();  // those that can be chosen here, narrowest first
const char* name(InstructionSet set);

}  // namespace svgm

// Declares a table of loops of all instruction sets, and SVGM_CHOSEN(table) is the one to use.
#ifdef SVGM_X86
#define SVGM_AVX2_OR(table, other) (svgm::instruction_set() == svgm::InstructionSet::avx2 ? avx2::table : other)
#define SVGM_DECLARE_AVX2(type, table) namespace avx2 { extern const type table; }
#else
#define SVGM_AVX2_OR(table, other) other
#define SVGM_DECLARE_AVX2(type, table)
#endif
#ifdef SVGM_AVX512
#define SVGM_AVX512_OR(table, other) (svgm::instruction_set() == svgm::InstructionSet::avx512 ? avx512::table : other)
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
