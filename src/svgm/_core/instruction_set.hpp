// Which copy of the loops this machine runs: those of the widest instruction set it has.
#pragma once

namespace svgm {

enum class InstructionSet { baseline, avx2, avx512 };

InstructionSet instruction_set();
const char* instruction_set_name();

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
