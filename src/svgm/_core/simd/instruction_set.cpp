#include "simd/instruction_set.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#if defined(SVGM_X86) && defined(_MSC_VER)
#include <intrin.h>
#endif

namespace svgm {

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

bool has_avx2() {
#if defined(SVGM_X86) && defined(_MSC_VER)
  return machine_has_avx2();
#elif defined(SVGM_X86)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

bool has_avx512() {
#ifdef SVGM_AVX512
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

struct Choice {
  InstructionSet set;
  std::string mistake;  // empty if there is none
};

Choice choose(const char* wanted) {
  const std::vector<InstructionSet> sets = instruction_sets();
  if (!wanted || !*wanted) return {sets.back(), ""};
  std::string names;
  for (const InstructionSet set : sets) {
    if (std::string(wanted) == name(set)) return {set, ""};
    names += (names.empty() ? "" : ", ") + std::string(name(set));
  }
  std::string shown = std::string(wanted).substr(0, 40);
  std::replace_if(shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return {sets.back(), "SVGM_INSTRUCTIONS must be one of " + names + " on this machine, got '" + shown + "'"};
}

// Never destroyed: threads may still read it when the process ends.
const Choice& chosen = *new Choice(choose(std::getenv("SVGM_INSTRUCTIONS")));

}  // namespace

InstructionSet instruction_set() {
  if (!chosen.mistake.empty()) throw NoSuchInstructions(chosen.mistake);
  return chosen.set;
}

std::vector<InstructionSet> instruction_sets() {
#if defined(SVGM_X86) && !defined(_MSC_VER)
  __builtin_cpu_init();
#endif
  std::vector<InstructionSet> sets{InstructionSet::baseline};
  if (has_avx2()) sets.push_back(InstructionSet::avx2);
  if (has_avx512()) sets.push_back(InstructionSet::avx512);
  return sets;
}

const char* name(InstructionSet set) {
  constexpr const char* kNames[] = {"baseline", "avx2", "avx512"};
  return kNames[static_cast<int>(set)];
}

}  // namespace svgm
