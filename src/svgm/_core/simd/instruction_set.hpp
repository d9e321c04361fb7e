// Which copy of the innermost loops runs: the one for the widest instruction set of this machine or, if the environment
// variable SVGM_INSTRUCTIONS names another when the library is loaded, the one for that.
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
std::vector<InstructionSet> instruction_sets();  // those of this build and machine, narrowest first
const char* name(InstructionSet set);

}  // namespace svgm
