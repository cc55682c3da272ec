// Model files that a stranger sends to ImportModel.
//
// The input is the bodies of a file of one of the models, sealed and framed here; or the whole file
// as it is. The file comes in pieces cut anywhere. In depth: the cuts make no difference, and a
// file is written as it was read; what is refused leaves the server as it was; what is taken is
// exported as it came, and learns.
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/engine/engine.h"
#include "server/engine/history/model_copy.h"
#include "server/wire/config.h"
#include "server/wire_codec.h"
#include "tests/fuzz/capture_bytes.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/learners.h"
#include "tests/fuzz/refusal.h"
#include "tests/server/storage/memory_store.h"

namespace prequel::fuzz {
namespace {

constexpr std::uint64_t kMaxBody = 1 << 16;

class StoppedClock final : public Clock {
 public:
  TimePoint Now() const override { return TimePoint(std::chrono::seconds(1'000'000)); }
};

// One server for all inputs: each leaves it without a model.
class Host {
 public:
  Host() : store_(MemoryStore::Open(std::make_shared<MemoryDisk>()).value()) {
    EngineOptions options;
    options.workers = 1;
    engine_ =
        Engine::Create(
            options, {store_->catalogue(), store_->log(), store_->snapshots(), codec_, clock_, {}})
            .value();
  }

  void Import(const ModelFile& file) {
    const absl::StatusOr<ModelInfo> info = engine_->Import("m", file);
    if (!info.ok()) {
      RequireTold(info.status());
      Require(engine_->ListModels("", 10).empty() && store_->ListModels()->empty(),
              "what is refused leaves no model");
      return;
    }
    const absl::StatusOr<ModelFile> exported = engine_->Export("m", file.revision);
    Require(exported.ok(), "what was imported can be exported", exported.status().ToString());
    RequireSame(*exported, file);
    Learn(*info);
    const absl::Status deleted = engine_->DeleteModel("m");
    Require(deleted.ok(), "what was imported can be deleted", deleted.ToString());
  }

 private:
  void RequireSame(const ModelFile& exported, const ModelFile& file) const {
    const auto folded = FromFile(exported, codec_), came = FromFile(file, codec_);
    Require(folded.ok() && came.ok(), "a file can be read again");
    Require(folded->learner()->config() == came->learner()->config(),
            "a configuration is exported as it came");
    const ModelFile again = ToFile(*came, codec_, 0, "").value();
    Require(exported.body == again.body && exported.config == again.config,
            "a model is exported as it came");
  }

  void Learn(const ModelInfo& info) {
    v1::Batch nothing;
    std::promise<absl::Status> done;
    engine_->Submit("m", {.record = Minibatch{SampleBatch(*info.learner, 1),
                                              nothing.SerializeAsString()},  // nobody replays it
                          .origin = {"new", 1},
                          .done = [&done](const absl::StatusOr<LearnOutcome>& outcome) {
                            done.set_value(outcome.status());
                          }});
    const absl::Status learned = done.get_future().get();
    if (!learned.ok()) RequireTold(learned);
    const std::int64_t revision = engine_->GetPublished("m")->revision;
    Require(revision == info.published.revision + (learned.ok() ? 1 : 0),
            "a minibatch is one revision, an error none");
  }

  const WireCodec codec_;
  const StoppedClock clock_;
  std::unique_ptr<MemoryStore> store_;
  std::unique_ptr<Engine> engine_;
};

// Reads `bytes` in pieces of `step`.
absl::StatusOr<ModelFile> Read(std::string_view bytes, std::size_t step) {
  ModelFileReader reader(kMaxBody);
  while (!bytes.empty()) {
    if (absl::Status status = reader.Add(bytes.substr(0, step)); !status.ok()) return status;
    bytes.remove_prefix(std::min(step, bytes.size()));
  }
  return std::move(reader).Finish();
}

std::string Write(ModelFile file) {
  ModelFileWriter writer(std::move(file));
  std::string bytes;
  for (std::string piece = writer.Next(); !piece.empty(); piece = writer.Next()) bytes += piece;
  return bytes;
}

// A file of model `learner`, or of a configuration that the input holds.
std::string Framed(FuzzInput& input, const Learner& learner, bool own_config) {
  ModelFile file{.create_time_us = 5, .build = "build"};
  file.revision = input.Byte();
  file.config = own_config ? std::string(input.Part()) : wire::ConfigToBytes(learner.config());
  const std::string ledger = SealedLedger(input.Part());
  file.body = CaptureBytes(ledger, SealedState(learner, input.Rest()));
  return Write(std::move(file));
}

// What the first byte asks for.
enum class Kind { kAsItIs, kOfTheModel, kOwnConfig };

// Whether the file's model may be made: a large one is only converted. Either way the file's
// configuration is looked at.
bool CheckAffordable(const ModelFile& file, Kind kind) {
  if (kind == Kind::kOfTheModel) return true;
  const absl::StatusOr<LearnerConfig> config = wire::ConfigFromBytes(file.config);
  if (config.ok()) return IsSmall(*config);
  RequireTold(config.status());
  return true;
}

void Run(FuzzInput input) {
  static Host& host = *new Host();
  const auto kind = static_cast<Kind>(input.Byte() % 3);
  const Learner& learner = *LearnerOf(input.Byte());
  const std::size_t step = 1 + 16 * std::size_t{input.Byte()};
  const std::string bytes = kind == Kind::kAsItIs
                                ? std::string(input.Rest())
                                : Framed(input, learner, kind == Kind::kOwnConfig);
  const absl::StatusOr<ModelFile> file = Read(bytes, step);
  const bool deep = InDepth(bytes);
  if (deep) {
    const absl::Status whole = Read(bytes, bytes.size() + 1).status();
    Require(file.status() == whole, "the cuts make no difference", whole.ToString());
  }
  if (!file.ok()) return RequireTold(file.status());
  const bool affordable = CheckAffordable(*file, kind);
  if (!deep) return;
  if (kind != Kind::kAsItIs) Require(Write(*file) == bytes, "a file is written as it was read");
  if (affordable) host.Import(*file);
}

}  // namespace
}  // namespace prequel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  prequel::fuzz::Run({data, size});
  return 0;
}
