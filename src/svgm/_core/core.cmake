# The core without Python.  The binding and the core's own tests are linked with it.
find_package(Threads REQUIRED)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
option(SVGM_BASELINE_ONLY "build the loops for the baseline instruction set only" OFF)

set(core ${CMAKE_CURRENT_LIST_DIR})
add_library(svgm_core STATIC
  ${core}/minimise/minimise.cpp ${core}/minimise/newton_step.cpp ${core}/minimise/pose_step.cpp
  ${core}/objective/field.cpp ${core}/objective/full_objective.cpp ${core}/objective/linear_objective.cpp
  ${core}/objective/mixture_objective.cpp ${core}/objective/pair_objective.cpp ${core}/objective/pose_shares.cpp
  ${core}/points/morton_order.cpp ${core}/points/nearest_of_sample.cpp ${core}/points/scatter.cpp
  ${core}/points/thinning.cpp
  ${core}/runtime/interrupt.cpp ${core}/runtime/parallel.cpp
  ${core}/search/correlation_grid.cpp ${core}/search/lines_of_sight.cpp ${core}/search/pose_bounds.cpp
  ${core}/simd/instruction_set.cpp ${core}/simd/loop_tables.cpp
  ${core}/sums/blocks.cpp ${core}/sums/box_tree.cpp ${core}/sums/full_transform.cpp ${core}/sums/gauss_transform.cpp
  ${core}/sums/local_shapes.cpp
  ${core}/sums/self_overlap.cpp
  ${core}/surfels/alignment.cpp ${core}/surfels/surface_table.cpp ${core}/surfels/surfels.cpp
  ${core}/svm/covering.cpp ${core}/svm/kernel_rows.cpp ${core}/svm/one_class.cpp ${core}/svm/point_packets.cpp
  ${core}/svm/smo.cpp ${core}/svm/two_class.cpp)
target_include_directories(svgm_core PUBLIC ${core})
target_link_libraries(svgm_core PUBLIC Threads::Threads)
set_target_properties(svgm_core PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)

if(MSVC)
  set(warnings /W4)
else()
  set(warnings -Wall -Wextra -Wconversion -Wshadow)
endif()
target_compile_options(svgm_core PRIVATE ${warnings})

# The innermost loops are built once per instruction set, and one copy is chosen at import: a wheel must run on any
# machine and be fast on a recent one.  Every 64-bit ARM has NEON, so there the baseline is fast.
set(loops
  ${core}/objective/field_loop.cpp ${core}/objective/full_loop.cpp ${core}/search/bound_loop.cpp ${core}/sums/pair_loop.cpp
  ${core}/surfels/alignment_loop.cpp ${core}/svm/svm_loop.cpp)
function(add_loops name)
  add_library(loops_${name} OBJECT ${loops})
  target_include_directories(loops_${name} PRIVATE ${core})
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
  # The SVM loop says itself where it fuses multiply and add: so all copies round alike.
  set_source_files_properties(${core}/svm/svm_loop.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
  # Without -fno-trapping-math the compiler may not turn the clamp inside exp into a vector select.
  # On x86-64 the baseline serves old machines only: -O2 makes it a third as large, and a wheel has at most 1 MB. What
  # hands its innermost loops to the files above is smaller with -O2 too. Neither changes a bit of an answer.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "AMD64|x86_64" AND NOT CMAKE_OSX_ARCHITECTURES MATCHES "arm64")
    add_loops(baseline -O2 -fno-trapping-math)
  else()
    add_loops(baseline -O3 -fno-trapping-math)
  endif()
  set_source_files_properties(${core}/objective/linear_objective.cpp ${core}/sums/full_transform.cpp
    ${core}/sums/box_tree.cpp PROPERTIES COMPILE_OPTIONS -O2)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "AMD64|x86_64" AND NOT CMAKE_OSX_ARCHITECTURES MATCHES "arm64"
      AND NOT SVGM_BASELINE_ONLY)
    add_loops(avx2 -O3 -fno-trapping-math -mavx2 -mfma)
    add_loops(avx512 -O3 -fno-trapping-math -mavx512f -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # its own header for AVX-512 gives this warning
      target_compile_options(loops_avx512 PRIVATE -Wno-maybe-uninitialized)
    endif()
    target_compile_definitions(svgm_core PRIVATE SVGM_X86 SVGM_AVX512)
  endif()
endif()
