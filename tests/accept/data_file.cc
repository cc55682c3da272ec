#include "tests/accept/data_file.h"

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <utility>

#include "client/data/batch_builder.h"
#include "client/data/csv_reader.h"
#include "client/data/schema_inference.h"
#include "core/random/philox.h"
#include "server/wire/batch_message.h"
#include "server/wire/config.h"
#include "tests/accept/or_die.h"

namespace prequel::accept {

std::optional<std::string> DataPath(const std::string& name) {
  const char* folder = std::getenv("PREQUEL_DATA_DIR");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  const std::string path = std::string(folder) + "/" + name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path;
}

DataFile ReadDataFile(const std::string& path, const std::string& target,
                      const std::string& likelihood) {
  client::InferenceOptions inference;
  inference.target = target;
  inference.likelihood = likelihood;
  auto reader = OrDie(client::CsvReader::Open(path), path);
  const client::InferredSchema schema = OrDie(client::InferSchema(*reader, inference), path);

  reader = OrDie(client::CsvReader::Open(path), path);
  client::BatchBuilder builder =
      OrDie(client::BatchBuilder::Create(schema.config, reader->header(), {}), path);
  client::CsvRow row;
  while (OrDie(reader->Next(&row), path)) OrDie(builder.Add(row), path);
  DataFile file;
  file.config = OrDie(wire::ConfigFromProto(schema.config), path);
  file.rows = OrDie(wire::BatchFromProto(builder.Take(), wire::kAnyRows), path);
  return file;
}

Batch Pick(const Batch& rows, const std::vector<Index>& indices) {
  Batch out;
  SelectRows(rows, indices, out);
  return out;
}

Batch Slice(const Batch& rows, Index first, Index count) {
  std::vector<Index> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), first);
  return Pick(rows, indices);
}

std::vector<Index> Shuffled(Index n, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  Vector u(n);
  FillUniform(Stream{seed, 0, 0x5eed}, u);
  for (Index i = n - 1; i > 0; --i) {
    const auto j = static_cast<Index>(u[i] * static_cast<double>(i + 1));
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
  }
  return order;
}

Division HoldOut(const Batch& rows) {
  const std::vector<Index> order = Shuffled(rows.rows(), 0);
  const auto border = order.begin() + rows.rows() * 4 / 5;
  return {Pick(rows, {order.begin(), border}), Pick(rows, {border, order.end()})};
}

}  // namespace prequel::accept
