// A server in this process on a loopback port and a directory of its own, and its clients.
#pragma once

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "prequel/v1/learning_service.grpc.pb.h"
#include "prequel/v1/model_service.grpc.pb.h"
#include "server/server.h"

namespace prequel {

// Removed with all it holds.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string path(const std::string& name = "") const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

v1::ModelConfig ParseConfig(const std::string& text);
// Two numeric inputs and a gaussian target, learned by a linear model.
v1::ModelConfig LinearConfig();
// Two numeric inputs and three classes.
v1::ModelConfig ClassesConfig();

v1::Tensor MakeTensor(const std::vector<std::int64_t>& shape, const std::vector<double>& values);
// `rows` examples that follow from `seed` alone, with targets for LinearConfig.
v1::Batch LinearBatch(int seed, int rows = 8);
// Inputs only.
v1::Batch LinearQuery(int rows = 3);

// What comes of a call whose one message is kNonsense, which is none of any method.
inline constexpr std::string_view kNonsense = "\xff\xff\xff";
grpc::Status SendNonsense(const std::shared_ptr<grpc::Channel>& channel, const char* method);

// What an error says.
struct ErrorParts {
  grpc::StatusCode code = grpc::StatusCode::OK;
  std::string reason;
  std::vector<std::string> fields;  // of the violations
};
ErrorParts PartsOf(const google::rpc::Status& status);
ErrorParts PartsOf(const grpc::Status& status);

class ServerTest : public ::testing::Test {
 protected:
  ServerTest();

  // Starts with options_, waits until ready, and connects.
  void StartServer();
  void StopServer() { server_.reset(); }
  void Connect(const grpc::ChannelArguments& arguments = {});

  grpc::Status CreateModel(const std::string& id, const v1::ModelConfig& config,
                           v1::Model* model = nullptr);
  grpc::Status Learn(const v1::Batch& batch, v1::LearnResponse* response = nullptr,
                     const std::string& id = "m");
  grpc::Status Predict(const v1::Batch& batch, v1::PredictResponse* response,
                       const std::string& id = "m");

  // Everything that learning would change, as bytes: predictions, revision and evaluation.
  std::string Fingerprint(const std::string& id = "m");

  TemporaryDirectory directory_;
  ServerOptions options_;
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::ModelService::Stub> models_;
  std::unique_ptr<v1::LearningService::Stub> learning_;
};

}  // namespace prequel
