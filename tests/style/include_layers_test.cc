#include "tests/style/include_layers.h"

#include <string>

#include "gtest/gtest.h"

namespace prequel::style::include_layers_test {
namespace {

bool Allowed(const std::string& path, const std::string& header) {
  return CheckIncludes({path, "#include \"" + header + "\"\n"}).empty();
}

TEST(IncludeLayers, CoreIsPure) {
  EXPECT_TRUE(Allowed("core/learner/learner.h", "core/config/batch.h"));
  EXPECT_TRUE(Allowed("core/learner/learner.h", "Eigen/Dense"));
  EXPECT_TRUE(Allowed("core/learner/learner.h", "absl/status/statusor.h"));
  EXPECT_TRUE(Allowed("core/learner/learner.h", "vector"));
  EXPECT_FALSE(Allowed("core/learner/learner.h", "server/storage/log.h"));
  EXPECT_FALSE(Allowed("core/learner/learner.h", "prequel/v1/batch.pb.h"));
  EXPECT_FALSE(Allowed("core/learner/learner.h", "grpcpp/grpcpp.h"));
  EXPECT_FALSE(Allowed("core/learner/learner.h", "absl/synchronization/mutex.h"));
  EXPECT_FALSE(Allowed("core/learner/learner.h", "unistd.h"));
  EXPECT_FALSE(Allowed("core/rules/rvga.cc", "random"));
  EXPECT_FALSE(Allowed("core/rules/rvga.cc", "thread"));
}

TEST(IncludeLayers, StorageKnowsNeitherCoreNorProto) {
  EXPECT_TRUE(Allowed("server/storage/rocks_store.cc", "rocksdb/db.h"));
  EXPECT_TRUE(Allowed("server/storage/rocks_store.cc", "sys/stat.h"));
  EXPECT_TRUE(Allowed("server/storage/bytes.h", "core/archive/crc32c.h"));
  EXPECT_FALSE(Allowed("server/storage/bytes.h", "core/archive/archive.h"));
  EXPECT_FALSE(Allowed("server/storage/log.h", "core/config/batch.h"));
  EXPECT_FALSE(Allowed("server/storage/log.h", "server/engine/engine.h"));
  EXPECT_FALSE(Allowed("server/storage/log.h", "prequel/v1/batch.pb.h"));
}

TEST(IncludeLayers, SyncKnowsNobody) {
  EXPECT_TRUE(Allowed("server/storage/log.h", "server/sync/mutex.h"));
  EXPECT_FALSE(Allowed("server/sync/mutex.h", "absl/synchronization/mutex.h"));
  EXPECT_FALSE(Allowed("server/sync/mutex.h", "server/engine/engine.h"));
}

TEST(IncludeLayers, EngineSeesStorageInterfacesOnly) {
  EXPECT_TRUE(Allowed("server/engine/actor.cc", "server/storage/log.h"));
  EXPECT_FALSE(Allowed("server/engine/actor.cc", "server/storage/rocks/rocks_store.h"));
  EXPECT_FALSE(Allowed("server/engine/actor.cc", "rocksdb/db.h"));
  EXPECT_FALSE(Allowed("server/engine/actor.cc", "server/wire/batch_message.h"));
  EXPECT_FALSE(Allowed("server/engine/actor.cc", "server/rpc/learning/learning_service.h"));
}

TEST(IncludeLayers, CoreAndProtoMeetInWireOnly) {
  EXPECT_TRUE(Allowed("server/wire/batch_message.cc", "core/config/batch.h"));
  EXPECT_TRUE(Allowed("server/wire/batch_message.cc", "prequel/v1/batch.pb.h"));
  EXPECT_FALSE(Allowed("server/wire/batch_message.cc", "server/engine/engine.h"));
  EXPECT_FALSE(Allowed("server/observe/metrics.h", "prequel/v1/batch.pb.h"));
  EXPECT_FALSE(Allowed("server/auth/token.h", "core/config/batch.h"));
}

TEST(IncludeLayers, ObserveIsTold) {
  EXPECT_TRUE(Allowed("server/observe/metrics.h", "server/engine/observer.h"));
  EXPECT_TRUE(Allowed("server/observe/metrics.h", "server/rpc/call_observer.h"));
  EXPECT_FALSE(Allowed("server/observe/metrics.h", "server/rpc/call.h"));
  EXPECT_FALSE(Allowed("server/engine/engine.cc", "server/rpc/call_observer.h"));
}

TEST(IncludeLayers, ServerOwnsEveryPart) {
  EXPECT_TRUE(Allowed("server/inference/json_request.cc", "nlohmann/json.hpp"));
  EXPECT_TRUE(Allowed("server/inference/http_face.h", "server/web/http_server.h"));
  EXPECT_FALSE(Allowed("server/rpc/call.cc", "server/inference/infer_question.h"));
  EXPECT_FALSE(Allowed("server/web/pages.cc", "server/inference/http_face.h"));
  EXPECT_TRUE(Allowed("server/server.cc", "server/rpc/learning/learning_service.h"));
  EXPECT_TRUE(Allowed("server/main.cc", "grpcpp/grpcpp.h"));
  EXPECT_FALSE(Allowed("server/main.cc", "client/client.h"));
}

TEST(IncludeLayers, ClientKnowsTheWireOnly) {
  EXPECT_TRUE(Allowed("client/cli/main.cc", "CLI/CLI.hpp"));
  EXPECT_TRUE(Allowed("client/client.h", "prequel/v1/learning_service.grpc.pb.h"));
  EXPECT_FALSE(Allowed("client/client.h", "core/config/batch.h"));
  EXPECT_FALSE(Allowed("client/client.h", "server/engine/engine.h"));
  EXPECT_FALSE(Allowed("client/cli/main.cc", "core/config/batch.h"));
}

TEST(IncludeLayers, ClientsDataIsBetweenTheLibraryAndTheCommandLine) {
  EXPECT_TRUE(Allowed("client/cli/batch_source.h", "client/data/batch_builder.h"));
  EXPECT_TRUE(Allowed("client/data/npy.cc", "client/make_tensor.h"));
  EXPECT_TRUE(Allowed("client/data/nearest_name.cc", "core/config/edit_distance.h"));
  EXPECT_FALSE(Allowed("client/data/nearest_name.cc", "core/config/options.h"));
  EXPECT_FALSE(Allowed("client/data/csv_reader.h", "client/client.h"));
  EXPECT_FALSE(Allowed("client/data/csv_reader.h", "client/cli/session.h"));
  EXPECT_FALSE(Allowed("client/data/csv_reader.h", "grpcpp/grpcpp.h"));
  EXPECT_FALSE(Allowed("client/client.h", "client/data/csv_reader.h"));
  EXPECT_FALSE(Allowed("client/client.h", "client/cli/session.h"));
}

TEST(IncludeLayers, TestsOfCoreSeeCoreOnlyAndOtherTestsAreFree) {
  EXPECT_TRUE(Allowed("tests/core/learner/learner_test.cc", "gtest/gtest.h"));
  EXPECT_TRUE(Allowed("tests/core/learner/learner_test.cc", "random"));
  EXPECT_FALSE(Allowed("tests/core/learner/learner_test.cc", "server/engine/engine.h"));
  EXPECT_TRUE(Allowed("tests/end_to_end/serve_test.cc", "server/engine/engine.h"));
}

TEST(IncludeLayers, SeesEverySpellingAndNamesTheLine) {
  const auto findings = CheckIncludes({"core/a.cc", "\n#  include <grpcpp/grpcpp.h>  // why\n"});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].line, 2);
  EXPECT_NE(Describe(findings[0]).find("core/a.cc:2: core/ (pure mathematics"), std::string::npos);
  EXPECT_FALSE(Allowed("core/a.cc", "batch.h")) << "paths begin at the root";
  EXPECT_FALSE(Allowed("core/a.cc", "../server/engine/engine.h"));
  EXPECT_TRUE(CheckIncludes({"core/README.md", "#include <grpcpp/grpcpp.h>\n"}).empty());
}

}  // namespace
}  // namespace prequel::style::include_layers_test
