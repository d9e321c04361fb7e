# The core without Python: what the binding and the core's own tests are linked with.
find_package(Threads REQUIRED)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
option(SVGM_BASELINE_ONLY "build the loops for the baseline instruction set only" OFF)

set(core ${CMAKE_CURRENT_LIST_DIR})
add_library(svgm_core STATIC
  ${core}/svm_one_class.cpp ${core}/svm_two_class.cpp ${core}/svm_pairs.cpp
  ${core}/covering.cpp ${core}/kernel_rows.cpp ${core}/point_packets.cpp ${core}/morton_order.cpp
  ${core}/scatter.cpp ${core}/thin.cpp ${core}/box_tree.cpp ${core}/gauss_transform.cpp
  ${core}/objective.cpp ${core}/field.cpp ${core}/minimise.cpp
  ${core}/surfels.cpp ${core}/surface.cpp ${core}/correlation.cpp ${core}/pose_bounds.cpp
  ${core}/interrupt.cpp ${core}/parallel.cpp ${core}/instruction_set.cpp)
target_include_directories(svgm_core PUBLIC ${core})
target_link_libraries(svgm_core PUBLIC Threads::Threads)
set_target_properties(svgm_core PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)

if(MSVC)
  set(warnings /W4)
else()
  set(warnings -Wall -Wextra -Wconversion -Wshadow)
endif()
target_compile_options(svgm_core PRIVATE ${warnings})

# The innermost loops are built once per instruction set and chosen at import: a wheel must run on any machine and be fast on
# a good one.  NEON is part of every 64-bit ARM, so there the baseline is the fast one.
set(loops ${core}/pair_loop.cpp ${core}/field_loop.cpp ${core}/svm_loop.cpp ${core}/bound_loop.cpp)
function(add_loops name)
  add_library(loops_${name} OBJECT ${loops})
  target_compile_definitions(loops_${name} PRIVATE SVGM_ISA=${name})
  target_compile_options(loops_${name} PRIVATE ${warnings} ${ARGN})
  set_target_properties(loops_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  target_sources(svgm_core PRIVATE $<TARGET_OBJECTS:loops_${name}>)
endfunction()

if(MSVC)
  add_loops(baseline /O2)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "AMD64|x86_64" AND NOT SVGM_BASELINE_ONLY)
    add_loops(avx2 /arch:AVX2)
    target_compile_definitions(svgm_core PRIVATE SVGM_X86)
  endif()
else()
  # What is fused is written so, and the same in all copies.
  set_source_files_properties(${core}/svm_loop.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
  # Without -fno-trapping-math the compiler may not turn the clamp inside exp into a vector select.
  add_loops(baseline -O3 -fno-trapping-math)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "AMD64|x86_64" AND NOT CMAKE_OSX_ARCHITECTURES MATCHES "arm64"
      AND NOT SVGM_BASELINE_ONLY)
    add_loops(avx2 -O3 -fno-trapping-math -mavx2 -mfma)
    add_loops(avx512 -O3 -fno-trapping-math -mavx512f -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # its own header of these instructions is not clean
      target_compile_options(loops_avx512 PRIVATE -Wno-maybe-uninitialized)
    endif()
    target_compile_definitions(svgm_core PRIVATE SVGM_X86 SVGM_AVX512)
  endif()
endif()
