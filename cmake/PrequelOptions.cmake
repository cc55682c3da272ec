# What a build of Prequel can be asked for, and what every translation unit is compiled with.

set(PREQUEL_ARCH "x86-64-v3" CACHE STRING
  "Value of -march. A restart replays the log bit for bit only on the same value, so it is a \
property of the build, recorded in every snapshot, and never detected at run time")
set(PREQUEL_SANITIZE "" CACHE STRING
  "Sanitizers to build with: empty, `address,undefined`, or `thread`")
set_property(CACHE PREQUEL_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")
option(PREQUEL_NO_GRPC
  "Build only core, server/storage and server/engine with their tests. ThreadSanitizer needs \
this: the uninstrumented gRPC and Protocol Buffers would drown our races in false ones" OFF)

option(PREQUEL_FUZZ
  "Instrument for libFuzzer and build the targets of tests/fuzz. Needs clang" OFF)

if(PREQUEL_SANITIZE STREQUAL "thread" AND NOT PREQUEL_NO_GRPC)
  message(FATAL_ERROR "PREQUEL_SANITIZE=thread needs PREQUEL_NO_GRPC=ON")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# -g1 keeps file and line in stack traces and profiles for little build time and size.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_FUZZ "-O2 -g1")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")  # at -O0 Eigen is thirty times slower

# One instruction set and one alignment for every object file: Eigen derives the layout and the
# packet width of its types from both, and a mixture of them is an ODR violation that crashes.
# Never -ffast-math: reassociated sums would make the answer depend on the compiler's mood.
if(PREQUEL_ARCH)
  add_compile_options(-march=${PREQUEL_ARCH})
endif()
add_compile_definitions(
  PREQUEL_ARCH="${PREQUEL_ARCH}"
  EIGEN_DONT_PARALLELIZE       # the service has its own workers
  # Products are blocked, and so summed, for the default cache sizes, not for those of the machine:
  # bits must not depend on it, nor blocks outgrow the stack where caches are huge.
  EIGEN_NO_CPUID
  EIGEN_MAX_ALIGN_BYTES=64     # the widest packet's alignment, whatever PREQUEL_ARCH says
  # Products pack their panels on the stack up to this size, so that a warm update never calls
  # malloc; threads have 8 MiB.
  EIGEN_STACK_ALLOCATION_LIMIT=2097152
  EIGEN_MPL2_ONLY)             # no copyleft corner of Eigen by accident

# Addresses of libraries' functions are looked up once, at start, and cannot be changed afterwards.
add_link_options(-Wl,-z,relro,-z,now)

if(PREQUEL_SANITIZE)
  add_compile_options(
    -fsanitize=${PREQUEL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # After the -g of a debug build: a report needs lines, and variables are a third of the time.
    -g1)
  if(PREQUEL_SANITIZE MATCHES "undefined")
    # Both check every access inlined from Eigen, for 40 % of the time. AddressSanitizer reports the
    # use of a null pointer, and no cast of ours makes an aligned type of bytes.
    add_compile_options(-fno-sanitize=null,alignment)
  endif()
  add_link_options(-fsanitize=${PREQUEL_SANITIZE})
endif()

if(PREQUEL_FUZZ)
  # Blocks are counted, comparisons not traced: that is a third of the time, in the loops of Eigen.
  # Magic numbers and names stand in the corpora and dictionaries.
  add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
endif()

find_program(PREQUEL_CCACHE ccache)
if(PREQUEL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PREQUEL_CCACHE})
endif()
