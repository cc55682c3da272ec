// Files of formats that were released: what once was written must be read for ever.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace prequel {

// The bytes of `path`, which was written when its format was the current one and never changes. A
// new version of a format gets a new file: PREQUEL_WRITE_GOLDEN=1 in the environment writes
// `current` where there is none.
inline std::string GoldenFile(const std::string& path, const std::string& current) {
  if (!std::ifstream(path).good() && std::getenv("PREQUEL_WRITE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << current;
  }
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << "no " << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace prequel
