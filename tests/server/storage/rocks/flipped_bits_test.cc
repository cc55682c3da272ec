// One flipped bit anywhere in the files of a RocksStore: what is read is what was written, or
// DATA_LOSS.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/storage/rocks/rocks_store.h"
#include "tests/server/storage/test_stores.h"

namespace prequel::flipped_bits_test {
namespace {

constexpr int kModels = 3;
constexpr std::uint64_t kOldRecords = 12, kRecords = 16;
constexpr std::uint32_t kChunks = 3;
constexpr std::uintmax_t kFlipsPerFile = 24;

std::string Payload(const StoredModel& model, std::uint64_t offset) {
  const std::size_t size = offset % 3 == 2 ? 9000 : 90;  // in a blob file, or in a table
  const std::uint64_t own = NumberOf(model.id);
  return std::string(size + own, static_cast<char>('a' + (offset + own) % 26));
}

std::string Chunk(const StoredModel& model, std::uint32_t index) {
  return Payload(model, 2 + index);
}

std::string ModelName(int index) { return absl::StrCat("model", index); }

// What became of the store, over all flips in files of one kind.
struct Outcomes {
  int flips = 0;
  int refused = 0;   // it was not opened, or did not list its models
  int one_lost = 0;  // one model was DATA_LOSS, the others whole and writable
  int several_lost = 0;
  int unnoticed = 0;  // of models: shorter, without an error
};

class FlippedBitsTest : public ::testing::Test {
 protected:
  // The first records are in tables and blob files, the others in the write-ahead log.
  void SetUp() override {
    const TemporaryDirectory live;
    Fill(*RocksStore::Open({.directory = live.path()}).value(), 0, kOldRecords);
    const auto store = RocksStore::Open({.directory = live.path()}).value();
    Fill(*store, kOldRecords, kRecords);
    std::filesystem::copy(live.path(), directory_.path());  // as a crash leaves it
  }

  void Fill(Store& store, std::uint64_t from, std::uint64_t to) {
    for (int model = 0; from == 0 && model < kModels; ++model) {
      models_.push_back(
          store.catalogue().CreateModel(ModelName(model), "config", 0, nullptr).value());
    }
    for (const StoredModel& model : models_) {
      for (std::uint64_t offset = from; offset < to; ++offset)
        ASSERT_TRUE(Append(store, model, offset).ok());
      if (from > 0) continue;
      StoredSnapshot head{
          .model = model.id, .log = model.log, .next_offset = to, .chunks = kChunks};
      for (std::uint32_t index = 0; index < kChunks; ++index) {
        const std::string chunk = Chunk(model, index);
        head.bytes += chunk.size();
        ASSERT_TRUE(store.snapshots().WriteSnapshotChunk(model.id, to, index, chunk).ok());
      }
      ASSERT_TRUE(store.snapshots().CommitSnapshot(head, {}).ok());
    }
  }

  static absl::Status Append(Store& store, const StoredModel& model, std::uint64_t offset) {
    const std::string payload = Payload(model, offset);
    LogRecord record{.log = model.log, .payload = payload};
    absl::Status status = store.log().Append({&record, 1});
    if (status.ok()) {
      EXPECT_EQ(record.offset, offset);
    }
    return status;
  }

  // Everything of one model, as it was written; else the error that says what is damaged.
  absl::Status ReadAll(Store& store, const StoredModel& model, std::uint64_t* records) {
    *records = 0;
    if (!model.problem.ok()) return model.problem;
    absl::Status status = VisitLog(store.log(), model.log, 0, [&](const LogRecord& record) {
      EXPECT_EQ(record.offset, *records);
      EXPECT_EQ(record.payload, Payload(model, (*records)++));
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    const auto snapshots = store.snapshots().ListSnapshots(model.id);
    if (!snapshots.ok()) return snapshots.status();
    if (snapshots->size() != 1) return absl::DataLossError("no snapshot");
    if (!snapshots->front().problem.ok()) return snapshots->front().problem;
    std::uint32_t chunks = 0;
    status = store.snapshots().ReadSnapshot(snapshots->front(), [&](std::string_view chunk) {
      EXPECT_EQ(chunk, Chunk(model, chunks++));
      return absl::OkStatus();
    });
    return status;
  }

  void Flip(const std::string& file, std::uintmax_t bit, Outcomes& outcomes) {
    const TemporaryDirectory copy;
    std::filesystem::copy(directory_.path(), copy.path());
    std::fstream bytes(copy.path() + "/" + file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(static_cast<std::streamoff>(bit / 8));
    const char flipped = static_cast<char>(bytes.get() ^ (1 << (bit % 8)));
    bytes.seekp(static_cast<std::streamoff>(bit / 8));
    bytes.put(flipped);
    bytes.close();

    SCOPED_TRACE(absl::StrCat("bit ", bit, " of ", file));
    ++outcomes.flips;
    const auto store = RocksStore::Open({.directory = copy.path()});
    const auto models = store.ok() ? (*store)->catalogue().ListModels() : store.status();
    if (!models.ok()) {
      EXPECT_TRUE(absl::IsDataLoss(models.status())) << models.status();
      ++outcomes.refused;
      return;
    }
    ASSERT_EQ(models->size(), models_.size());
    int lost = 0;
    for (const StoredModel& model : *models) {
      std::uint64_t records = 0;
      const absl::Status status = ReadAll(**store, model, &records);
      if (status.ok()) {
        outcomes.unnoticed += records != kRecords;
        EXPECT_TRUE(Append(**store, model, records).ok());
      } else {
        EXPECT_TRUE(absl::IsDataLoss(status)) << status;
        ++lost;
      }
    }
    outcomes.one_lost += lost == 1;
    outcomes.several_lost += lost > 1;
  }

  TemporaryDirectory directory_;
  std::vector<StoredModel> models_;
};

// What a file is, by its name: an extension, or what stands before a number.
std::string Kind(const std::filesystem::path& file) {
  const std::string name = file.filename();
  if (name.starts_with("LOG")) return "what RocksDB says of itself";
  return file.has_extension() ? file.extension().string() : name.substr(0, name.find('-'));
}

TEST_F(FlippedBitsTest, NothingWrongIsEverRead) {
  std::map<std::string, Outcomes> of;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
    const std::uintmax_t bits = 8 * entry.file_size();
    const std::uintmax_t step = std::max<std::uintmax_t>(1, bits / kFlipsPerFile) | 1;
    for (std::uintmax_t bit = step / 2; bit < bits; bit += step) {
      Flip(entry.path().filename(), bit, of[Kind(entry.path())]);
    }
  }
  for (const auto& [kind, outcomes] : of) {
    SCOPED_TRACE(kind);
    EXPECT_EQ(outcomes.unnoticed, 0);
  }
  for (const char* kind : {".log", ".sst", ".blob", "MANIFEST", "CURRENT"}) {
    SCOPED_TRACE(kind);
    EXPECT_GE(of[kind].flips, 20);
    EXPECT_GE(of[kind].refused + of[kind].one_lost + of[kind].several_lost, of[kind].flips * 2 / 3);
  }
  // Minibatches and states are most of what a store holds.
  EXPECT_EQ(of[".blob"].refused, 0);
  EXPECT_EQ(of[".blob"].several_lost, 0);
  EXPECT_GE(of[".blob"].one_lost, 20);
}

}  // namespace
}  // namespace prequel::flipped_bits_test
