# prequel_add_test(NAME core_tests SOURCES a_test.cc LIBRARIES prequel_core [TIMEOUT seconds])
#
# A GoogleTest executable each of whose tests is one ctest test; or, under a sanitizer, where a
# process takes its time to start, each quarter of them. Its label is the folder under tests/
# ("core", "server"), and the target `build_<label>_tests` builds all of a label, so that
# `./dev test core` builds and runs nothing else. In a build without gRPC a test of a library which
# that build leaves out is left out with it.

include(GoogleTest)

set(PREQUEL_TEST_TIMEOUT 120)
if(PREQUEL_SANITIZE)
  set(PREQUEL_TEST_TIMEOUT 7200)
elseif(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(PREQUEL_TEST_TIMEOUT 900)
endif()
if(PREQUEL_SANITIZE)
  # Not as environment: of a list of variables gtest_discover_tests keeps the first.
  add_library(prequel_sanitizer_options OBJECT
    ${PROJECT_SOURCE_DIR}/tests/sanitizers/options.cc)
  target_compile_definitions(prequel_sanitizer_options PRIVATE
    PREQUEL_TSAN_SUPPRESSIONS="${PROJECT_SOURCE_DIR}/tests/sanitizers/tsan.supp")
endif()

function(prequel_add_test)
  cmake_parse_arguments(ARG "" "NAME;TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
  _prequel_reject_unknown("${ARG_NAME}" "${ARG_UNPARSED_ARGUMENTS}")
  if(PREQUEL_NO_GRPC)
    foreach(library IN LISTS ARG_LIBRARIES)
      if(NOT TARGET ${library})
        message(STATUS "${ARG_NAME}: left out, this build has no ${library}")
        return()
      endif()
    endforeach()
  endif()
  if(NOT ARG_TIMEOUT OR ARG_TIMEOUT LESS PREQUEL_TEST_TIMEOUT)
    set(ARG_TIMEOUT ${PREQUEL_TEST_TIMEOUT})
  endif()

  prequel_add_executable(${ARG_NAME} SOURCES ${ARG_SOURCES}
    LIBRARIES ${ARG_LIBRARIES} GTest::gtest_main GTest::gmock)

  if(PREQUEL_SANITIZE)
    target_sources(${ARG_NAME} PRIVATE $<TARGET_OBJECTS:prequel_sanitizer_options>)
  endif()

  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR
    BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE label)
  string(REGEX REPLACE "/.*" "" label "${label}")
  if(NOT TARGET build_${label}_tests)
    add_custom_target(build_${label}_tests)
  endif()
  add_dependencies(build_${label}_tests ${ARG_NAME})

  if(PREQUEL_SANITIZE)
    set(parts 4)
    foreach(part RANGE 1 ${parts})
      math(EXPR index "${part} - 1")
      add_test(NAME ${ARG_NAME}.${part}_of_${parts}
        COMMAND ${ARG_NAME} --gtest_brief=1
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
      set_tests_properties(${ARG_NAME}.${part}_of_${parts} PROPERTIES
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index}"
        TIMEOUT ${ARG_TIMEOUT}
        LABELS ${label})
    endforeach()
    return()
  endif()

  # PRE_TEST: listing the tests is ctest's work, so building never runs what it built.
  gtest_discover_tests(${ARG_NAME}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 120
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    PROPERTIES
      TIMEOUT ${ARG_TIMEOUT}
      LABELS ${label})
endfunction()
