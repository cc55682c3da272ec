#include "tests/bench/served.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "client/make_tensor.h"
#include "core/random/philox.h"

namespace prequel {

ScratchFolder::ScratchFolder()
    : path_([] {
        static std::atomic<int> next = 0;
        return std::filesystem::path(PREQUEL_SCRATCH) /
               (std::to_string(::getpid()) + "-" + std::to_string(next++));
      }()) {
  std::filesystem::create_directories(path_);
}

ScratchFolder::~ScratchFolder() { std::filesystem::remove_all(path_); }

v1::ModelConfig ServedConfig() {
  v1::ModelConfig config;
  v1::Feature& feature = *config.add_features();
  feature.set_name("x");
  feature.set_width(kServedInputs);
  config.mutable_target()->set_name("y");
  config.mutable_likelihood()->set_name("bernoulli");
  config.mutable_posterior()->set_name("diagonal");
  return config;
}

const v1::Batch& ServedMinibatch(int index) {
  static const std::vector<v1::Batch> kBatches = [] {
    std::vector<v1::Batch> batches;
    for (std::uint64_t t = 0; t < 64; ++t) {
      Matrix x(kServedInputs, kServedRows);
      FillNormal(Stream{1, t, 0}, x);
      const Vector targets = (x.row(0).array() > 0).cast<double>();
      v1::Batch batch;
      *batch.mutable_inputs() = client::MakeTensor(
          {x.data(), x.data() + x.size()}, {kServedRows, kServedInputs}, v1::Tensor::DTYPE_FLOAT32);
      *batch.mutable_targets() = client::MakeTensor({targets.data(), targets.data() + kServedRows},
                                                    {kServedRows}, v1::Tensor::DTYPE_FLOAT32);
      batches.push_back(std::move(batch));
    }
    return batches;
  }();
  return kBatches[static_cast<std::size_t>(index) % kBatches.size()];
}

void MustBeOk(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

Served::Served(bool sync) {
  ServerOptions options;
  options.data_dir = folder.path();
  options.listen = "127.0.0.1:0";
  options.http = "";
  options.sync = sync;
  auto started = Server::Start(options);
  MustBeOk(started.status());
  server = *std::move(started);
  server->AwaitReady();
  client = std::make_unique<client::Client>(client::ClientOptions{.server = server->address()});
}

void Served::Create(const std::string& model, const v1::ModelConfig& config) {
  MustBeOk(client->CreateModel(model, config).status());
}

void Served::Stream(const std::string& model, int batches) {
  auto stream =
      client->OpenLearnStream(model, {}, [](const auto& ack) { MustBeOk(ack.result.status()); });
  for (int t = 0; t < batches; ++t) MustBeOk(stream->Send(ServedMinibatch(t)));
  MustBeOk(stream->Finish());
}

}  // namespace prequel
