// The memory and the cores of this machine, or of this container.
#pragma once

#include <cstdint>
#include <string>

namespace prequel {

// What the process may use: the least of the control groups' limits that it is in, and the physical
// memory. `root` is where /proc and /sys are; tests have others.
std::int64_t MemoryLimit(const std::string& root = "/");

// How many cores it may keep busy: what the least of those groups gives it, rounded up, and no more
// than it may run on. At least 1.
int CoreLimit(const std::string& root = "/");

// The bytes that the process has in memory now; 0 when that cannot be read.
std::int64_t ResidentBytes();

// The bytes of memory that are allocated and not freed. Looks through all heaps.
std::int64_t AllocatedBytes();

}  // namespace prequel
