// The state is a function of the log: bit-identical for any number of workers, and after a restart.
#include <unistd.h>

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/engine/engine.h"
#include "server/storage/rocks/rocks_store.h"
#include "server/wire/tensor_message.h"
#include "server/wire_codec.h"
#include "tests/accept/core.h"
#include "tests/accept/data_file.h"
#include "tests/accept/or_die.h"

namespace prequel::accept {
namespace {

constexpr int kModels = 4;
constexpr Index kBatchRows = 32;

// The minibatch as the log keeps it.
std::string PayloadOf(const Batch& batch) {
  v1::Batch proto;
  wire::TensorFromMatrix(batch.inputs, {batch.inputs.rows()}, proto.mutable_inputs());
  wire::TensorFromMatrix(batch.targets, {}, proto.mutable_targets());
  return proto.SerializeAsString();
}

LearnerConfig ConfigOf(const DataFile& file, int model) {
  LearnerConfig config = file.config;
  config.seed = static_cast<std::uint64_t>(model);
  if (model % 2 == 1) {
    config.model = {"mlp", {{"hidden", std::vector<double>{16}}}};
    config.posterior.name = model == 1 ? "full" : "diagonal";
  }
  if (model == 2) config.rule.options["expectation"] = std::string("monte_carlo");
  return config;
}

// An engine over `directory`; what it hosts is asked for by model.
class Host {
 public:
  Host(const std::string& directory, int workers)
      : store_(OrDie(RocksStore::Open({.directory = directory, .sync = false}))),
        engine_(OrDie(Engine::Create(
            {.workers = workers},
            {store_->catalogue(), store_->log(), store_->snapshots(), codec_, clock_, {}}))) {
    engine_->AwaitReady();
  }

  void Fold(const DataFile& file) {
    for (int m = 0; m < kModels; ++m) {
      const LearnerConfig config = ConfigOf(file, m);
      OrDie(engine_->CreateModel(Name(m), config));
    }
    std::vector<std::future<void>> answers;
    for (Index first = 0; first + kBatchRows <= file.rows.rows(); first += kBatchRows) {
      for (int m = 0; m < kModels; ++m) {
        auto done = std::make_shared<std::promise<void>>();
        answers.push_back(done->get_future());
        Batch batch = Slice(file.rows, first, kBatchRows);
        std::string payload = PayloadOf(batch);
        engine_->Submit(Name(m), {.record = Minibatch{std::move(batch), std::move(payload)},
                                  .done = [done](absl::StatusOr<LearnOutcome> outcome) {
                                    OrDie(std::move(outcome));
                                    done->set_value();
                                  }});
        if (answers.size() % 256 == 0) answers.back().wait();
      }
    }
    for (std::future<void>& answer : answers) answer.wait();
  }

  std::vector<std::string> States() const {
    std::vector<std::string> states;
    for (int m = 0; m < kModels; ++m) {
      const ModelInfo info = OrDie(engine_->GetModel(Name(m)));
      states.push_back(info.learner->EncodeState(*info.published.state));
    }
    return states;
  }

 private:
  static std::string Name(int model) { return "model-" + std::to_string(model); }

  WireCodec codec_;
  SystemClock clock_;
  std::unique_ptr<RocksStore> store_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace

void Determinism(Report& report) {
  report.Section("Bit-identical states (1 = yes)");
  const auto path = DataPath("streams/phishing.csv");
  if (!path) return report.Skip("determinism", "PREQUEL_DATA_DIR has no streams/");
  const DataFile file = ReadDataFile(*path, "y", "bernoulli");
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("prequel-accept-" + std::to_string(::getpid()));
  std::filesystem::create_directories(root);
  std::vector<std::string> reference;
  for (const int workers : {1, 2, 8}) {
    const std::string directory = root / std::to_string(workers);
    std::vector<std::string> states;
    {
      Host host(directory, workers);
      host.Fold(file);
      states = host.States();
    }
    if (reference.empty()) reference = states;
    const std::string setting = "4 models over phishing in minibatches of 32";
    report.Add({std::to_string(workers) + " workers as one worker",
                static_cast<double>(states == reference), 0, 1, Direction::kAtLeast, setting});
    const Host restarted(directory, workers);
    report.Add({std::to_string(workers) + " workers after restart and replay",
                static_cast<double>(restarted.States() == reference), 0, 1, Direction::kAtLeast,
                setting});
  }
  std::filesystem::remove_all(root);
}

}  // namespace prequel::accept
