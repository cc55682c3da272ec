# prequel_add_test(NAME core_tests SOURCES a_test.cc LIBRARIES prequel_core [TIMEOUT seconds]
#                  [TOGETHER "All/*"] [IDLE])
#
# A GoogleTest executable each of whose tests is one ctest test; but those that match TOGETHER,
# which are thousands that take less time than a process takes to start, are four: a quarter each.
# Under a sanitizer, where it takes longer still, all are; and what is IDLE has nothing beside it
# there: slow as it is, some of its work is done in the background, which gets what others leave.
# Its label is the folder under tests/ ("core", "server"), and the target `build_<label>_tests`
# builds all of a label, so that `./dev test core` builds and runs nothing else; `build_tests`
# builds those of all labels. In a build without gRPC a test of a library which that build leaves
# out is left out with it.

include(GoogleTest)

add_custom_target(build_tests)

set(PREQUEL_TEST_TIMEOUT 300)
if(PREQUEL_SANITIZE)
  set(PREQUEL_TEST_TIMEOUT 7200)
elseif(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(PREQUEL_TEST_TIMEOUT 900)
endif()

# Linked where there is a sanitizer. Not as environment: of a list of variables
# gtest_discover_tests keeps the first.
add_library(prequel_sanitizer_options OBJECT ${PROJECT_SOURCE_DIR}/tests/sanitizers/options.cc)
target_compile_definitions(prequel_sanitizer_options PRIVATE
  PREQUEL_TSAN_SUPPRESSIONS="${PROJECT_SOURCE_DIR}/tests/sanitizers/tsan.supp")

# The tests of `name` that match `filter`, as four ctest tests.
function(_prequel_add_quarters name filter timeout label)
  foreach(quarter RANGE 1 4)
    math(EXPR index "${quarter} - 1")
    set(test ${name}.${quarter}_of_4)
    add_test(NAME ${test}
      COMMAND ${name} --gtest_brief=1 --gtest_filter=${filter}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${test} PROPERTIES
      ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${index}"
      TIMEOUT ${timeout}
      LABELS ${label})
  endforeach()
endfunction()

function(prequel_add_test)
  cmake_parse_arguments(ARG "IDLE" "NAME;TIMEOUT;TOGETHER" "SOURCES;LIBRARIES" ${ARGN})
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
  add_dependencies(build_tests ${ARG_NAME})

  if(PREQUEL_SANITIZE)
    _prequel_add_quarters(${ARG_NAME} "*" ${ARG_TIMEOUT} ${label})
    if(ARG_IDLE)
      foreach(quarter RANGE 1 4)
        set_tests_properties(${ARG_NAME}.${quarter}_of_4 PROPERTIES RUN_SERIAL ON)
      endforeach()
    endif()
    return()
  endif()

  set(alone "*")
  if(ARG_TOGETHER)
    _prequel_add_quarters(${ARG_NAME} "${ARG_TOGETHER}" ${ARG_TIMEOUT} ${label})
    set(alone "-${ARG_TOGETHER}")
  endif()
  # PRE_TEST: listing the tests is ctest's work, so building never runs what it built.
  gtest_discover_tests(${ARG_NAME}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 120
    TEST_FILTER "${alone}"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    PROPERTIES
      TIMEOUT ${ARG_TIMEOUT}
      LABELS ${label})
endfunction()
