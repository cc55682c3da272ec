# prequel_add_library, prequel_add_executable, prequel_add_folders: targets with the project's
# standard, include root and warnings. Generated code uses plain add_library instead.

set(PREQUEL_WARNINGS
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wcast-qual -Wextra-semi -Wundef -Wimplicit-fallthrough
  -Wno-sign-conversion               # clang's -Wconversion includes it, gcc's does not
  -Wno-missing-field-initializers)   # `Options{.step = 1}` means: the other defaults
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND PREQUEL_WARNINGS
    -Wthread-safety
    -Wno-gnu-zero-variadic-macro-arguments)  # gtest's TYPED_TEST_SUITE and INSTANTIATE_*
else()
  list(APPEND PREQUEL_WARNINGS
    -Wduplicated-cond -Wlogical-op
    # gcc 12 reports these from inside inlined std and Eigen code at -O3 where they cannot
    # happen; clang-tidy and the sanitizers look for the real ones.
    -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-restrict)
endif()

# What reads bytes from elsewhere, server and client, watches its stack and its copies. Not core,
# whose loops are arithmetic over buffers that it has sized itself; nor where a sanitizer watches.
set(PREQUEL_HARDENING "")
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT PREQUEL_SANITIZE)
  set(PREQUEL_HARDENING -fstack-protector-strong -D_FORTIFY_SOURCE=2)
endif()

function(_prequel_configure target scope)
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR})
  target_compile_features(${target} ${scope} cxx_std_20)
  if(NOT scope STREQUAL "INTERFACE")
    target_compile_options(${target} PRIVATE ${PREQUEL_WARNINGS})
    if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/(server|client)")
      target_compile_options(${target} PRIVATE ${PREQUEL_HARDENING})
    endif()
    # Turned off for one configuration by `cmake --compile-no-warning-as-error`.
    set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ON)
  endif()
endfunction()

# prequel_add_library(prequel_core SOURCES a.h a.cc PUBLIC absl::status PRIVATE Eigen3::Eigen)
# A static library; an INTERFACE one when no source is compiled. PUBLIC is for what its headers
# include, PRIVATE for what only its sources do.
function(prequel_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  _prequel_reject_unknown(${name} "${ARG_UNPARSED_ARGUMENTS}")
  set(compiled ${ARG_SOURCES})
  list(FILTER compiled INCLUDE REGEX "\\.cc$")
  if(compiled)
    add_library(${name} STATIC ${ARG_SOURCES})
    _prequel_configure(${name} PUBLIC)
    target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  else()
    add_library(${name} INTERFACE ${ARG_SOURCES})
    _prequel_configure(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARG_PUBLIC} ${ARG_PRIVATE})
  endif()
endfunction()

# prequel_add_executable(prequeld SOURCES main.cc LIBRARIES prequel_server)
function(prequel_add_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  _prequel_reject_unknown(${name} "${ARG_UNPARSED_ARGUMENTS}")
  add_executable(${name} ${ARG_SOURCES})
  _prequel_configure(${name} PRIVATE)
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES})
endfunction()

# Adds each folder that has a CMakeLists.txt; the others are not written yet.
function(prequel_add_folders)
  foreach(folder IN LISTS ARGN)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()

function(_prequel_reject_unknown name arguments)
  if(arguments)
    message(FATAL_ERROR "${name}: unknown arguments: ${arguments}")
  endif()
endfunction()
