// A data directory of format 1, as a server of then left it: it opens, folds to the same bits, and
// is taken to format 2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/learner/learner_state.h"
#include "server/engine/engine.h"
#include "server/engine/history/capture.h"
#include "server/inspect/inspection.h"
#include "server/storage/rocks/rocks_store.h"
#include "server/wire_codec.h"
#include "tests/core/golden_file.h"
#include "tests/server/storage/test_stores.h"

namespace prequel {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Listing = std::vector<std::pair<std::string, std::string>>;

// Keys and values, each a u32 length and bytes.
Listing Golden(const std::string& name) {
  const std::string bytes = GoldenFile(std::string(PREQUEL_GOLDEN) + "/" + name, "");
  std::string_view left = bytes;
  const auto next = [&left] {
    std::uint32_t length = 0;
    std::memcpy(&length, left.data(), sizeof(length));
    std::string text(left.substr(sizeof(length), length));
    left.remove_prefix(sizeof(length) + length);
    return text;
  };
  Listing listing;
  while (!left.empty()) {
    std::string key = next();
    listing.emplace_back(std::move(key), next());
  }
  return listing;
}

// Keys are FAMILY/KEY.
void WriteDirectory(const std::string& path, const Listing& listing) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  const std::vector<std::string> names = {"default", "models", "log", "snapshots"};
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) descriptors.push_back({name, {}});
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, path, descriptors, &families, &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  for (const auto& [place, value] : listing) {
    const std::size_t slash = place.find('/');
    const auto family = std::find(names.begin(), names.end(), place.substr(0, slash));
    ASSERT_NE(family, names.end());
    const auto index = static_cast<std::size_t>(family - names.begin());
    ASSERT_TRUE(db->Put({}, families[index], place.substr(slash + 1), value).ok());
  }
  for (auto* family : families) ASSERT_TRUE(db->DestroyColumnFamilyHandle(family).ok());
}

class DataDirectoryTest : public ::testing::Test {
 protected:
  DataDirectoryTest() : path_(directory_.path() + "/data") {
    WriteDirectory(path_, Golden("data_directory_v1.bin"));
  }

  void Start() {
    engine_.reset();
    store_.reset();
    store_ = RocksStore::Open({.directory = path_}).value();
    EngineOptions options;
    options.workers = 2;
    options.snapshots.build = "build";
    engine_ =
        Engine::Create(
            options, {store_->catalogue(), store_->log(), store_->snapshots(), codec_, clock_, {}})
            .value();
    engine_->AwaitReady();
  }

  // What the first server had folded `name` to whose units were not the running moments: ledger and
  // state.
  static std::string FoldedThen(const std::string& name, const std::string& now) {
    const std::string file = "/data_directory_folded_" + name + "_v10.bin";
    return GoldenFile(std::string(PREQUEL_GOLDEN) + file, now);
  }
  std::string FoldedNow(const std::string& name) {
    return engine_->Export(name, std::nullopt).value().body;
  }

  absl::StatusOr<LearnOutcome> Learn(const std::string& name, std::int64_t sequence) {
    LearnRequest request;
    request.origin = {"p", sequence};
    request.batch.inputs = Matrix::Constant(2, 4, 0.5);
    request.batch.targets = Matrix::Constant(1, 4, 0.25);
    v1::Batch proto;  // nobody replays it
    request.payload = proto.SerializeAsString();
    std::promise<absl::StatusOr<LearnOutcome>> done;
    engine_->Submit(name, std::move(request), [&done](absl::StatusOr<LearnOutcome> outcome) {
      done.set_value(std::move(outcome));
    });
    return done.get_future().get();
  }

  const TemporaryDirectory directory_;
  const std::string path_;
  const WireCodec codec_;
  const SystemClock clock_;
  std::unique_ptr<RocksStore> store_;
  std::unique_ptr<Engine> engine_;
};

constexpr std::array<const char*, 3> kModels = {"a", "b", "c"};
constexpr std::array<std::int64_t, 3> kRevisions = {44, 12, 33};
constexpr std::array<std::uint64_t, 3> kOffsets = {45, 12, 3};

// Bits are those of the build that folded them.
#ifdef PREQUEL_BUILD_OF_GOLDEN
constexpr bool kSameBuild = true;
#else
constexpr bool kSameBuild = false;
#endif

TEST_F(DataDirectoryTest, OpensWhereItWas) {
  for (int restart = 0; restart < 2; ++restart) {
    Start();
    for (std::size_t i = 0; i < kModels.size(); ++i) {
      SCOPED_TRACE(kModels[i]);
      const ModelInfo info = engine_->GetModel(kModels[i]).value();
      ASSERT_TRUE(info.problem.ok()) << info.problem;
      EXPECT_EQ(info.published.revision, kRevisions[i]);
      EXPECT_EQ(info.published.next_offset, kOffsets[i]);
    }
    EXPECT_EQ(engine_->ListRevisions("a")->oldest, 25);
    EXPECT_EQ(engine_->ListRevisions("b")->oldest, 0);
    EXPECT_EQ(engine_->ListRevisions("c")->oldest, 30);
  }
}

TEST_F(DataDirectoryTest, FoldsToTheSameBits) {
  if (!kSameBuild) GTEST_SKIP() << "another build than that of the golden directory";
  for (int restart = 0; restart < 2; ++restart) {
    Start();
    for (const char* name : kModels) {
      const std::string now = FoldedNow(name);
      EXPECT_TRUE(now == FoldedThen(name, now)) << name;
    }
  }
}

TEST_F(DataDirectoryTest, IsTakenToFormatTwo) {
  Start();
  const std::vector<StoredModel> models = store_->catalogue().ListModels().value();
  ASSERT_EQ(models.size(), 3u);
  for (const StoredModel& model : models) {
    SCOPED_TRACE(model.name);
    EXPECT_EQ(model.version, kModelVersion);
    EXPECT_EQ(NumberOf(model.id), NumberOf(model.log));
    EXPECT_EQ(model.create_time_us, 1'700'000'000'000'000);
    EXPECT_EQ(model.from_snapshot, model.name == "c");
    const LearnerConfig config = codec_.DecodeConfig(model.config).value();
    EXPECT_EQ(config, engine_->GetModel(model.name)->learner->config()) << "every default is there";
  }
  // Whoever comes now has ids of its own.
  const LearnerConfig config = engine_->GetModel("a")->learner->config();
  ASSERT_TRUE(engine_->CreateModel("d", config).ok());
  const StoredModel d = store_->catalogue().ListModels()->back();
  EXPECT_NE(NumberOf(d.id), NumberOf(d.log));
  for (const StoredModel& model : models) EXPECT_LT(NumberOf(model.id), NumberOf(d.id));
}

TEST_F(DataDirectoryTest, GoesOnWhereItWas) {
  Start();
  const absl::StatusOr<LearnOutcome> repeat = Learn("a", 30), next = Learn("a", 31);
  ASSERT_TRUE(repeat.ok() && next.ok()) << repeat.status() << next.status();
  EXPECT_TRUE(repeat->repeated);
  EXPECT_EQ(next->revision, 45);
  EXPECT_EQ(Learn("a", 12).status().code(), absl::StatusCode::kInvalidArgument)
      << "what was refused";
  engine_->Shutdown(clock_.Now() + std::chrono::minutes(1));
  const StoredModel a = store_->catalogue().ListModels()->front();
  const std::vector<StoredSnapshot> snapshots = store_->snapshots().ListSnapshots(a.id).value();
  ASSERT_EQ(snapshots.size(), 3u);
  EXPECT_EQ(snapshots.back().revision, 45);
  for (const StoredSnapshot& snapshot : snapshots) EXPECT_EQ(snapshot.log, a.log);
  Start();
  EXPECT_EQ(engine_->GetPublished("a")->revision, 45);
  ASSERT_TRUE(engine_->DeleteModel("a").ok());
  EXPECT_THAT(store_->snapshots().ListSnapshots(a.id).value(), IsEmpty());
  EXPECT_EQ(store_->log().FirstOffset(a.log).value(), 0u);
}

TEST_F(DataDirectoryTest, IsInspectedAsItIs) {
  for (int again = 0; again < 2; ++again) {
    const auto store = RocksStore::Open({.directory = path_, .read_only = true}).value();
    const Inspector inspector(store->log(), store->snapshots(), codec_);
    const std::vector<StoredModel> models = store->catalogue().ListModels().value();
    ASSERT_EQ(models.size(), 3u);
    for (std::size_t i = 0; i < models.size(); ++i) {
      EXPECT_EQ(models[i].version, 1);
      const Inspection inspection = inspector.Replay(models[i]);
      // Rows are folded otherwise since, so that snapshots are not what the log leads to now.
      for (const std::string& problem : inspection.problems) {
        EXPECT_THAT(problem, HasSubstr("is not what the log leads to"));
      }
      EXPECT_EQ(inspection.revision, kRevisions[i]);
    }
  }
}

}  // namespace
}  // namespace prequel
