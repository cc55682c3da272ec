// What the open inference protocol costs beside Predict: the same rows, asked of the same server in
// turns.
#include <benchmark/benchmark.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "client/make_tensor.h"
#include "inference/grpc_predict_v2.grpc.pb.h"
#include "prequel/v1/learning_service.grpc.pb.h"
#include "tests/bench/served.h"

namespace prequel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Index kRows = 16;

// Seconds of one call.
template <class Stub, class Request, class Response>
double TimeOf(Stub& stub,
              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
              const Request& request) {
  grpc::ClientContext context;
  Response response;
  const Clock::time_point start = Clock::now();
  const grpc::Status status = (stub.*method)(&context, request, &response);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  MustBeOk(status.ok() ? absl::OkStatus() : absl::UnknownError(status.error_message()));
  return seconds;
}

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// `per_feature`: a tensor for each of the columns, in place of one for all.
inference::ModelInferRequest InferRequest(const std::vector<double>& values, bool per_feature) {
  inference::ModelInferRequest request;
  request.set_model_name("m");
  const Index tensors = per_feature ? kServedInputs : 1;
  for (Index t = 0; t < tensors; ++t) {
    auto* tensor = request.add_inputs();
    tensor->set_name(per_feature ? "x" + std::to_string(t) : "input");
    tensor->set_datatype("FP64");
    tensor->add_shape(kRows);
    tensor->add_shape(kServedInputs / tensors);
    request.add_raw_input_contents(
        values.data(), sizeof(double) * values.size() / static_cast<std::size_t>(tensors));
  }
  return request;
}

// Median latencies of Predict and ModelInfer, and their ratio.
void InferServed(benchmark::State& state) {
  const bool per_feature = state.range(0) == 1;
  v1::ModelConfig config = ServedConfig();
  if (per_feature) {
    config.clear_features();
    for (Index i = 0; i < kServedInputs; ++i)
      config.add_features()->set_name("x" + std::to_string(i));
  }
  Served served(true);
  served.Create("m", config);
  served.Stream("m", 64);
  const std::vector<double> values(kRows * kServedInputs, 0.1);
  v1::PredictRequest predict;
  predict.set_name("models/m");
  *predict.mutable_batch()->mutable_inputs() = client::MakeTensor(values, {kRows, kServedInputs});
  const inference::ModelInferRequest infer = InferRequest(values, per_feature);
  const auto channel =
      grpc::CreateChannel(served.server->address(), grpc::InsecureChannelCredentials());
  v1::LearningService::Stub learning(channel);
  inference::GRPCInferenceService::Stub inference(channel);
  std::vector<double> predicted, inferred;
  for (auto _ : state) {
    predicted.push_back(TimeOf(learning, &v1::LearningService::Stub::Predict, predict));
    inferred.push_back(
        TimeOf(inference, &inference::GRPCInferenceService::Stub::ModelInfer, infer));
  }
  state.counters["predict_us"] = 1e6 * MedianOf(predicted);
  state.counters["infer_us"] = 1e6 * MedianOf(inferred);
  state.counters["ratio"] = MedianOf(inferred) / MedianOf(predicted);
}

BENCHMARK(InferServed)
    ->ArgName("per_feature")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(3000)
    ->UseRealTime();

}  // namespace
}  // namespace prequel
