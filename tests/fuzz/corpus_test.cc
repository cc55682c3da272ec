// A fuzz target over its corpus: what was found once is not found again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_input.h"

namespace prequel::fuzz::corpus_test {
namespace {

TEST(CorpusTest, EveryInputKeepsTheInvariants) {
  std::vector<std::filesystem::path> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(PREQUEL_CORPUS)) {
    inputs.push_back(entry.path());
  }
  ASSERT_FALSE(inputs.empty());
  std::sort(inputs.begin(), inputs.end());
  for (const std::filesystem::path& path : inputs) {
    SCOPED_TRACE(path.filename().string());
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    EXPECT_EQ(LLVMFuzzerTestOneInput(data, bytes.size()), 0);
    // Cut short, too: most readers fail at an end.
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 16) {
      EXPECT_EQ(LLVMFuzzerTestOneInput(data, size), 0);
    }
  }
}

}  // namespace
}  // namespace prequel::fuzz::corpus_test
