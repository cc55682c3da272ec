// One flipped bit in any file of a data directory, or a file that is gone: what is salvaged is what
// was learned, and what is not is named.
#include "server/inspect/salvage.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/storage/salvage/salvage_files.h"
#include "tests/server/engine/engine_fixture.h"
#include "tests/server/storage/test_stores.h"

namespace prequel::salvage_test {
namespace {

namespace fs = std::filesystem;

constexpr int kOld = 40, kNew = 20;  // minibatches: in tables and blob files, and in the log
constexpr int kFlipsPerFile = 5;

class SalvageTest : public EngineFixture {
 protected:
  // Models a, b and c, and their states of every revision. What a killed server leaves of them is
  // in `crashed_`.
  void SetUp() override {
    options_.snapshots.every_batches = 0;
    options_.snapshots.keep = 2;
    {
      const TemporaryDirectory live;
      Learn(live.path(), 0, kOld);
      Learn(live.path(), kOld, kOld + kNew);
    }
    ASSERT_EQ(states_["a"].size(), 1u + kOld + kNew);
  }

  void Learn(const std::string& directory, int from, int to) {
    const auto store = RocksStore::Open({.directory = directory}).value();
    const auto engine = EngineOn(*store);
    for (const char* name : {"a", "b", "c"}) {
      if (from == 0) {
        ASSERT_TRUE(engine->CreateModel(name, LinearConfig(2)).ok());
        Record(*engine, name);
      }
      for (int i = from; i < to; ++i) {
        LearnOne(*engine, name, i);
        Record(*engine, name);
        if (name == std::string("a") && i == 12) Snapshot(*engine, name);
        if (name == std::string("a") && i == 25) Snapshot(*engine, name);
      }
    }
    if (from == 0) return engine->Shutdown(TimePoint::min());  // without a snapshot at the end
    fs::copy(directory, crashed_.path(), fs::copy_options::recursive);
  }

  std::unique_ptr<Engine> EngineOn(RocksStore& store) {
    auto engine = Engine::Create(
        options_, {store.catalogue(), store.log(), store.snapshots(), codec_, clock_, {observer_}});
    EXPECT_TRUE(engine.ok()) << engine.status();
    (*engine)->AwaitReady();
    return *std::move(engine);
  }

  // Every third is large enough for a blob file.
  void LearnOne(Engine& engine, const std::string& name, int number) {
    std::promise<void> done;
    Delivery delivery = Request(MakeBatch(number, 2, number % 3 == 0 ? 250 : 4));
    delivery.done = [&done](const Outcome& outcome) {
      EXPECT_TRUE(outcome.ok()) << outcome.status();
      done.set_value();
    };
    engine.Submit(name, std::move(delivery));
    done.get_future().get();
  }
  static void Snapshot(Engine& engine, const std::string& name) {
    std::promise<void> done;
    engine.CreateSnapshot(name, [&done](const absl::StatusOr<StoredSnapshot>& stored) {
      EXPECT_TRUE(stored.ok());
      done.set_value();
    });
    done.get_future().get();
  }
  static std::string StateOf(const Engine& engine, const std::string& name) {
    const absl::StatusOr<ModelInfo> info = engine.GetModel(name);
    if (!info.ok() || info->published.state == nullptr) return "";
    return info->learner->EncodeState(*info->published.state);
  }
  void Record(const Engine& engine, const std::string& name) {
    states_[name].push_back(StateOf(engine, name));
  }

  struct Result {
    std::vector<SalvagedModel> models;
    std::vector<std::string> damaged, left_out;
    int whole = 0;  // models of which nothing is lost
  };
  // Salvages `directory`, and lets a server check what that says.
  Result Salvage(const std::string& directory) {
    Result result;
    const TemporaryDirectory target;
    const absl::StatusOr<Salvaged> files = SalvageFiles(directory, target.path());
    EXPECT_TRUE(files.ok()) << files.status();
    if (!files.ok()) return result;
    result.damaged = files->damaged;
    result.left_out = files->left_out;
    {
      const auto store =
          RocksStore::Open({.directory = target.path(), .unfinished = true, .renew_marks = true})
              .value();
      result.models = SalvageModels(*store, codec_).value();
    }
    EXPECT_TRUE(FinishSalvage(target.path()).ok());
    const auto store = RocksStore::Open({.directory = target.path()}).value();
    const auto engine = EngineOn(*store);
    std::size_t saved = 0;
    for (const SalvagedModel& model : result.models) {
      SCOPED_TRACE(model.model);
      result.whole += model.problem.ok() && model.revision == kOld + kNew;
      if (!model.problem.ok()) continue;
      ++saved;
      EXPECT_TRUE(engine->GetModel(model.model)->problem.ok())
          << engine->GetModel(model.model)->problem;
      EXPECT_EQ(StateOf(*engine, model.model),
                states_[model.model][static_cast<std::size_t>(model.revision)]);
      const bool named = model.end < model.acknowledged || !model.damage.empty() ||
                         (model.acknowledged == 0 && !result.damaged.empty());
      EXPECT_TRUE(named || model.revision == kOld + kNew) << "the loss is silent";
      LearnOne(*engine, model.model, 1);
    }
    EXPECT_EQ(engine->ListModels("", 10).size(), saved);
    return result;
  }

  std::unique_ptr<TemporaryDirectory> Copy() const {
    auto copy = std::make_unique<TemporaryDirectory>();
    fs::copy(crashed_.path(), copy->path(), fs::copy_options::recursive);
    return copy;
  }
  static void Flip(const fs::path& path, std::uintmax_t at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char flipped = static_cast<char>(file.get() ^ 4);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(flipped);
  }

  TemporaryDirectory crashed_;
  std::map<std::string, std::vector<std::string>> states_;
};

TEST_F(SalvageTest, ASoundDirectoryIsCopiedWhole) {
  const auto copy = Copy();
  const Result result = Salvage(copy->path());
  EXPECT_THAT(result.damaged, ::testing::IsEmpty());
  EXPECT_THAT(result.left_out, ::testing::IsEmpty());
  ASSERT_EQ(result.models.size(), 3u);
  EXPECT_EQ(result.whole, 3);
  EXPECT_EQ(result.models[0].snapshots, 2);
  EXPECT_EQ(result.models[1].begin, 0u);
  EXPECT_EQ(result.models[1].acknowledged, 0u + kOld + kNew);
}

TEST_F(SalvageTest, AFlippedBitCostsWhatItIsInAndNothingElse) {
  struct Kind {
    int flips = 0, whole = 0, opened = 0;
  };
  std::map<std::string, Kind> kinds;
  for (const auto& entry : fs::directory_iterator(crashed_.path())) {
    const std::string name = entry.path().filename();
    const std::string kind = entry.path().has_extension() ? entry.path().extension().string()
                                                          : name.substr(0, name.find('-'));
    if (kind.starts_with("LOG") || kind == "LOCK" || kind == ".old") continue;
    const std::uintmax_t size = entry.file_size();
    for (int i = 0; i < kFlipsPerFile && size > 0; ++i) {
      // The last one is in what a table ends with.
      const std::uintmax_t at =
          i + 1 == kFlipsPerFile ? size - 3 : size * static_cast<unsigned>(2 * i + 1) / 10;
      SCOPED_TRACE(absl::StrCat("byte ", at, " of ", name));
      const auto copy = Copy();
      Flip(fs::path(copy->path()) / name, std::min(at, size - 1));
      ++kinds[kind].flips;
      kinds[kind].whole += Salvage(copy->path()).whole;
    }
  }
  for (const char* unread : {"MANIFEST", "CURRENT", "OPTIONS"}) {
    EXPECT_GE(kinds[unread].flips, 5);
    EXPECT_EQ(kinds[unread].whole, 3 * kinds[unread].flips) << unread;
  }
  EXPECT_EQ(kinds["acknowledged"].whole, 3 * kinds["acknowledged"].flips);
  EXPECT_GE(kinds[".blob"].whole, 2 * kinds[".blob"].flips);
  EXPECT_GE(kinds[".log"].whole, 1);
  EXPECT_GE(kinds[".sst"].whole, kinds[".sst"].flips);
}

TEST_F(SalvageTest, WithoutManifestAndMarksEverythingIsFound) {
  const auto copy = Copy();
  for (const auto& entry : fs::directory_iterator(copy->path())) {
    const std::string name = entry.path().filename();
    if (name.starts_with("MANIFEST") || name == "CURRENT" || name == "acknowledged") {
      fs::remove(entry.path());
    }
  }
  const Result result = Salvage(copy->path());
  EXPECT_EQ(result.whole, 3);
  EXPECT_THAT(result.damaged, ::testing::ElementsAre(::testing::HasSubstr("acknowledged")));
}

TEST_F(SalvageTest, WhatWasDeletedStaysDeleted) {
  const auto copy = Copy();
  {
    const auto store = RocksStore::Open({.directory = copy->path()}).value();
    ASSERT_TRUE(EngineOn(*store)->DeleteModel("b").ok());
  }
  { const auto reopened = RocksStore::Open({.directory = copy->path()}).value(); }
  const Result result = Salvage(copy->path());
  EXPECT_EQ(result.whole, 2);
  EXPECT_EQ(result.models.size(), 2u);
}

TEST_F(SalvageTest, ADirectoryInUseOrATargetThatIsNotEmptyIsRefused) {
  const auto copy = Copy();
  const TemporaryDirectory target;
  EXPECT_EQ(SalvageFiles(copy->path(), crashed_.path()).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(SalvageFiles(copy->path() + "/none", target.path()).status().code(),
            absl::StatusCode::kFailedPrecondition);
  const TemporaryDirectory empty;
  EXPECT_EQ(SalvageFiles(empty.path(), target.path()).status().code(),
            absl::StatusCode::kFailedPrecondition);
  const auto store = RocksStore::Open({.directory = copy->path()}).value();
  EXPECT_EQ(SalvageFiles(copy->path(), target.path()).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(fs::is_empty(target.path())) << "so that it can be tried again";
  EXPECT_TRUE(fs::is_empty(empty.path()));
}

// Killed at any moment, it leaves what nobody takes for a whole store.
TEST_F(SalvageTest, WhatIsNotFinishedDoesNotServe) {
  const auto copy = Copy();
  const TemporaryDirectory target;
  ASSERT_TRUE(SalvageFiles(copy->path(), target.path()).ok());
  for (const bool read_only : {false, true}) {
    const auto store = RocksStore::Open(
        {.directory = target.path(), .read_only = read_only, .renew_marks = !read_only});
    EXPECT_TRUE(absl::IsFailedPrecondition(store.status())) << store.status();
    EXPECT_THAT(store.status().ToString(), ::testing::HasSubstr("did not come to its end"));
  }
  EXPECT_THAT(SalvageFiles(copy->path(), target.path()).status().ToString(),
              ::testing::HasSubstr("an earlier salvage left"));
  ASSERT_TRUE(FinishSalvage(target.path()).ok());
  EXPECT_TRUE(RocksStore::Open({.directory = target.path(), .renew_marks = true}).ok());
}

}  // namespace
}  // namespace prequel::salvage_test
