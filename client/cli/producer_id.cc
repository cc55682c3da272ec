#include "client/cli/producer_id.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/random.h"
#include "client/unique_id.h"

namespace prequel::cli {
namespace {

// Eight bytes at a time, the last ones padded with zeros; the lengths are hashed beside them.
std::uint64_t Hash(std::uint64_t hash, std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(8, bytes.size()))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min<std::size_t>(8, bytes.size()));
    hash = client::Scatter(hash ^ word);
  }
  return hash;
}

}  // namespace

absl::StatusOr<ProducerId> ProducerIdOf(const BatchSourceOptions& options) {
  std::error_code error;
  if (options.path == "-") return ProducerId{client::UniqueId(), false};
  if (!std::filesystem::exists(options.path, error)) {
    return absl::NotFoundError(absl::StrCat("there is no file ", options.path));
  }
  if (!std::filesystem::is_regular_file(options.path, error)) {
    return ProducerId{client::UniqueId(), false};
  }
  std::ifstream file(options.path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot open ", options.path));
  std::uint64_t hash =
      Hash(0, absl::StrCat(options.batch_rows, " ", options.skip, " ", options.limit, " ",
                           options.batch.float32, " ", options.batch.target_column, "\n",
                           options.batch.time_column, "\n", options.batch.weight_column));
  if (options.header == client::CsvHeader::kAbsent) hash = Hash(hash, "no header");
  std::vector<char> block(std::size_t{1} << 20);
  std::uint64_t size = 0;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    const auto count = static_cast<std::size_t>(file.gcount());
    hash = Hash(hash, {block.data(), count});
    size += count;
  }
  return ProducerId{absl::StrFormat("csv-%016x", client::Scatter(hash ^ size)), true};
}

}  // namespace prequel::cli
