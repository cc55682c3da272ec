// Who may do what: every method, every role, models of one's own and of others, however a caller is
// known or is not.
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "inference/grpc_predict_v2.grpc.pb.h"
#include "prequel/v1/part_service.pb.h"
#include "server/auth/role.h"
#include "server/auth/token_hash.h"
#include "tests/server/await.h"
#include "tests/server/server/every_method.h"
#include "tests/server/server/tls_fixture.h"

namespace prequel::access_test {
namespace {

using grpc::StatusCode;

std::string HashLine(const std::string& token) {
  const TokenHash hash = HashToken(token);
  return "token = sha256:" +
         absl::BytesToHexString({reinterpret_cast<const char*>(hash.data()), hash.size()}) + "\n";
}

std::string InSeconds(int seconds) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now() + absl::Seconds(seconds),
                          absl::UTCTimeZone());
}

bool Refused(StatusCode code) {
  return code == StatusCode::UNAUTHENTICATED || code == StatusCode::PERMISSION_DENIED;
}

class AccessTest : public TlsServerTest {
 protected:
  AccessTest() {
    std::string policy = "[owner]\n" + HashLine("owner") + "role = admin\nmodels = *\n";
    for (const std::string role : {"metrics", "read", "learn", "admin"}) {
      absl::StrAppend(&policy, "[", role, "]\n", HashLine(role + "-token"),
                      "certificate = uri:spiffe://test/", role, "\nrole = ", role, "\n",
                      "models = nothing, own-*\n");
    }
    absl::StrAppend(&policy, "[old]\n", HashLine("old-token"), "certificate = dns:old.test\n",
                    "role = admin\nmodels = *\nexpires = 2020-01-01T00:00:00Z\n");
    options_.policy = Write("policy", policy);
  }

  void SetUp() override {
    Start();
    for (const std::string model : {"own-m", "other"}) {
      EXPECT_EQ(methods_.at("CreateModel")(Token("owner"), model), StatusCode::OK);
      EXPECT_EQ(methods_.at("Learn")(Token("owner"), model), StatusCode::OK);
    }
  }

  Door Token(const std::string& token) { return {nobody(), "Bearer " + token}; }
  Door Certificate(const std::string& names) {
    return {ChannelOf(authority_.Issue("whoever", names)), ""};
  }
  const std::shared_ptr<grpc::Channel>& nobody() {
    if (channel_ == nullptr) channel_ = ChannelOf();
    return channel_;
  }

  // Whether `begin` succeeds with something that lives so long: each time longer, since on a slow
  // machine a short life may be over before it has begun.
  static bool BeginsInTime(const std::function<bool(std::chrono::seconds)>& begin) {
    for (const int life : {4, 12, 36}) {
      if (begin(std::chrono::seconds(life))) return true;
    }
    return false;
  }

  void ExpectUnknown(const Door& door, const std::string& who) {
    for (const auto& [method, attempt] : methods_) {
      for (const std::string model : {"own-m", "other"}) {
        EXPECT_EQ(attempt(door, model), StatusCode::UNAUTHENTICATED)
            << method << " of " << model << " by " << who;
      }
    }
  }

  const std::map<std::string, Try> methods_ = EveryMethod();
};

TEST_F(AccessTest, TheTableHasEveryMethod) {
  const auto count = [](const google::protobuf::Descriptor* of, const char* service) {
    return of->file()->FindServiceByName(service)->method_count();
  };
  constexpr int kHealth = 2;  // ServerLive and ServerReady, which are for everybody
  EXPECT_EQ(static_cast<int>(methods_.size()),
            count(v1::CreateModelRequest::descriptor(), "ModelService") +
                count(v1::LearnRequest::descriptor(), "LearningService") +
                count(v1::ListPartsRequest::descriptor(), "PartService") +
                count(inference::ModelInferRequest::descriptor(), "GRPCInferenceService") -
                kHealth);
}

TEST_F(AccessTest, ARoleDoesWhatItIncludes) {
  const std::map<std::string, Role> kNeeds = {
      {"GetModel", Role::kRead},       {"ListModels", Role::kRead},
      {"ListRevisions", Role::kRead},  {"Predict", Role::kRead},
      {"GetEvaluation", Role::kRead},  {"Learn", Role::kLearn},
      {"LearnStream", Role::kLearn},   {"PredictThenLearn", Role::kLearn},
      {"ModelReady", Role::kRead},     {"ModelMetadata", Role::kRead},
      {"ModelInfer", Role::kRead},     {"ListParts", Role::kRead},
      {"ServerMetadata", Role::kRead}, {"WatchEvaluation", Role::kRead}};
  for (const std::string name : {"metrics", "read", "learn", "admin"}) {
    const Role role = *RoleNamed(name);
    for (const Door& door : {Token(name + "-token"), Certificate("URI:spiffe://test/" + name)}) {
      for (const auto& [method, attempt] : methods_) {
        const auto need = kNeeds.find(method);
        const Role needed = need == kNeeds.end() ? Role::kAdmin : need->second;
        const bool may = role != Role::kMetrics && role >= needed;
        const std::string what = absl::StrCat(method, " by ", name, " ", door.authorization);
        if (may) {
          EXPECT_FALSE(Refused(attempt(door, "own-m"))) << what;
        } else {
          EXPECT_EQ(attempt(door, "own-m"), StatusCode::PERMISSION_DENIED) << what;
        }
        // Nobody learns whether another's model is there.
        for (const std::string model : {"other", "nowhere"}) {
          if (method == "ListModels" || method == "ListParts" || method == "ServerMetadata")
            continue;
          EXPECT_EQ(attempt(door, model), StatusCode::PERMISSION_DENIED) << what << ", " << model;
        }
      }
    }
  }
  EXPECT_EQ(methods_.at("GetModel")(Token("owner"), "other"), StatusCode::OK);
}

TEST_F(AccessTest, TheUnknownDoNothing) {
  ExpectUnknown({nobody(), ""}, "nobody");
  ExpectUnknown(Token("never-given"), "a token of nobody's");
  ExpectUnknown({nobody(), "Basic b3duZXI6"}, "another scheme");
  ExpectUnknown({nobody(), "owner"}, "no scheme");
  ExpectUnknown(Token(""), "an empty token");
  ExpectUnknown(Token("old-token"), "an expired token");
  ExpectUnknown(Certificate("DNS:old.test"), "an expired certificate");
  ExpectUnknown(Certificate("DNS:new.test"), "a certificate of nobody's");
  // A name of one kind is no name of another.
  ExpectUnknown(Certificate("DNS:spiffe.test"), "another kind of name");
  // A token that is wrong is not made good by a certificate.
  Door both = Certificate("URI:spiffe://test/admin");
  both.authorization = "Bearer never-given";
  ExpectUnknown(both, "a wrong token beside a right certificate");
}

TEST_F(AccessTest, TheRevokedDoNothing) {
  EXPECT_EQ(methods_.at("GetModel")(Token("admin-token"), "own-m"), StatusCode::OK);
  const Door certificate = Certificate("URI:spiffe://test/admin");
  EXPECT_EQ(methods_.at("GetModel")(certificate, "own-m"), StatusCode::OK);
  Write("policy", "[owner]\n" + HashLine("owner") + "role = admin\nmodels = *\n");
  EXPECT_TRUE(Await([this] {
    return methods_.at("GetModel")(Token("admin-token"), "own-m") == StatusCode::UNAUTHENTICATED;
  }));
  ExpectUnknown(Token("admin-token"), "a revoked token");
  ExpectUnknown(certificate, "a revoked certificate, on a connection from before");
  EXPECT_EQ(methods_.at("GetModel")(Token("owner"), "own-m"), StatusCode::OK);
}

TEST_F(AccessTest, ABrokenPolicyKeepsTheOldOne) {
  Write("policy", "[owner]\nrole = emperor\n");
  EXPECT_TRUE(Await([this] {
    Get("/metrics", "owner");
    return body_.find("prequel_reload_ok{files=\"policy\"} 0") != std::string::npos;
  }));
  EXPECT_EQ(methods_.at("GetModel")(Token("read-token"), "own-m"), StatusCode::OK);
}

TEST_F(AccessTest, ListsShowOnlyWhatOneMayUse) {
  v1::ModelService::Stub stub(nobody());
  const auto list = [&](const std::string& token, int size, const std::string& page_token) {
    v1::ListModelsRequest request;
    request.set_page_size(size);
    request.set_page_token(page_token);
    v1::ListModelsResponse response;
    EXPECT_EQ(Unary(Token(token), stub, &v1::ModelService::Stub::ListModels, request, &response),
              StatusCode::OK);
    return response;
  };
  for (const std::string model : {"own-a", "other-a", "own-z"}) {
    EXPECT_EQ(methods_.at("CreateModel")(Token("owner"), model), StatusCode::OK);
  }
  EXPECT_EQ(list("owner", 0, "").models_size(), 5);
  const v1::ListModelsResponse first = list("read-token", 2, "");
  ASSERT_EQ(first.models_size(), 2);
  EXPECT_EQ(first.models(0).name(), "models/own-a");
  EXPECT_EQ(first.models(1).name(), "models/own-m");
  const v1::ListModelsResponse second = list("read-token", 2, first.next_page_token());
  ASSERT_EQ(second.models_size(), 1);
  EXPECT_EQ(second.models(0).name(), "models/own-z");
  EXPECT_EQ(second.next_page_token(), "");
}

TEST_F(AccessTest, ACopyIsMadeOnlyUnderANameOfOnesOwn) {
  v1::ModelService::Stub stub(nobody());
  v1::ForkModelRequest request;
  request.set_name("models/own-m");
  request.set_model_id("other-copy");
  v1::Model response;
  EXPECT_EQ(
      Unary(Token("admin-token"), stub, &v1::ModelService::Stub::ForkModel, request, &response),
      StatusCode::PERMISSION_DENIED);
}

TEST_F(AccessTest, HealthIsForEverybodyAndMetricsAreNot) {
  EXPECT_EQ(Get("/v2/health/live"), 200);
  EXPECT_EQ(Get("/v2/health/ready"), 200);
  EXPECT_EQ(Get("/metrics"), 401);
  EXPECT_EQ(Get("/metrics", "never-given"), 401);
  EXPECT_EQ(Get("/metrics", "read-token"), 403);
  EXPECT_EQ(Get("/metrics", "learn-token"), 403);
  EXPECT_EQ(Get("/metrics", "metrics-token"), 200);
  EXPECT_EQ(Get("/metrics", "admin-token"), 200);
  EXPECT_EQ(Get("/metrics", "", authority_.Issue("x", "URI:spiffe://test/metrics")), 200);
  EXPECT_EQ(Get("/metrics", "", authority_.Issue("x", "URI:spiffe://test/read")), 403);
  StopServer();
  options_.open_metrics = true;
  Start();
  EXPECT_EQ(Get("/metrics"), 200);
}

TEST_F(AccessTest, TheProtocolByHttpAsksTheSame) {
  const auto status = [this](const std::string& path, const std::string& token) {
    return path.ends_with("/infer") ? Post(path, token) : Get(path, token);
  };
  for (const std::string path : {"/v2", "/v2/models/own-m", "/v2/models/own-m/ready",
                                 "/v2/models/own-m/versions/1", "/v2/models/own-m/infer"}) {
    EXPECT_EQ(status(path, ""), 401) << path;
    EXPECT_EQ(status(path, "never-given"), 401) << path;
    EXPECT_EQ(status(path, "old-token"), 401) << path;
    EXPECT_EQ(status(path, "metrics-token"), 403) << path;
    EXPECT_EQ(status(path, "read-token"), 200) << path;
    EXPECT_EQ(status(path, "admin-token"), 200) << path;
  }
  for (const std::string path : {"/v2/models/other", "/v2/models/other/ready", "/v2/models/nowhere",
                                 "/v2/models/other/infer"}) {
    EXPECT_EQ(status(path, "read-token"), 403) << path;
  }
  EXPECT_EQ(Get("/v2/models/own-m", "", authority_.Issue("x", "URI:spiffe://test/read")), 200);
  EXPECT_EQ(Get("/v2/models/own-m", "", authority_.Issue("x", "URI:spiffe://test/metrics")), 403);
  // Nobody in particular brings a large body.
  EXPECT_EQ(Post("/v2/models/own-m/infer", "never-given", 5000), 401);
  EXPECT_EQ(Post("/v2/models/own-m", "never-given", 5000), 413);
}

TEST_F(AccessTest, AConnectionByHttpIsOfNobodyOnceItsCertificateExpires) {
  std::unique_ptr<httplib::SSLClient> connection;
  ASSERT_TRUE(BeginsInTime([&](std::chrono::seconds life) {
    connection = Http(authority_.Issue("x", "URI:spiffe://test/read", life));
    connection->set_keep_alive(true);
    return Keep(connection->Get("/v2/models/own-m")) == 200;
  }));
  EXPECT_TRUE(Await([&] { return Keep(connection->Get("/v2/models/own-m")) == 401; }));
  EXPECT_THAT(body_, ::testing::HasSubstr("certificate, uri:spiffe://test/read, expired at"));
}

TEST_F(AccessTest, ReflectionIsNotThere) {
  grpc::GenericStub stub(nobody());
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareUnaryCall(
      &context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", {}, &queue);
  call->StartCall();
  grpc::ByteBuffer ignored;
  grpc::Status status;
  call->Finish(&ignored, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  EXPECT_EQ(status.error_code(), StatusCode::UNIMPLEMENTED);
}

class StreamAccessTest : public AccessTest {
 protected:
  // Whether there is a stream that has been answered once. Then it says nothing.
  bool Open(const std::string& token) { return Open(Token(token)); }
  bool Open(const Door& door) {
    stream_.reset();
    context_ = std::make_unique<grpc::ClientContext>();
    context_->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    if (!door.authorization.empty()) context_->AddMetadata("authorization", door.authorization);
    learning_ = v1::LearningService::NewStub(door.channel);
    stream_ = learning_->LearnStream(context_.get());
    v1::LearnStreamRequest request;
    request.set_name("models/own-m");
    *request.mutable_batch() = LinearBatch(1);
    v1::LearnStreamResponse response;
    if (stream_->Write(request) && stream_->Read(&response) && !response.has_error()) return true;
    stream_->WritesDone();
    (void)AwaitEnd();
    return false;
  }
  StatusCode AwaitEnd() {
    v1::LearnStreamResponse response;
    while (stream_->Read(&response)) {
    }
    return stream_->Finish().error_code();
  }

  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::LearnStreamRequest, v1::LearnStreamResponse>>
      stream_;
};

TEST_F(StreamAccessTest, AnIdleStreamEndsWhenItsCallerExpires) {
  ASSERT_TRUE(Open("learn-token"));
  Write("policy", "[learn]\n" + HashLine("learn-token") +
                      "role = learn\nmodels = *\nexpires = " + InSeconds(4) + "\n");
  EXPECT_EQ(AwaitEnd(), StatusCode::UNAUTHENTICATED);
}

TEST_F(StreamAccessTest, AnIdleStreamEndsWhenItsCertificateExpires) {
  Door door;
  ASSERT_TRUE(BeginsInTime([&](std::chrono::seconds life) {
    door.channel = ChannelOf(authority_.Issue("whoever", "URI:spiffe://test/learn", life));
    return Open(door);
  }));
  EXPECT_EQ(AwaitEnd(), StatusCode::UNAUTHENTICATED);
  // The connection is there still.
  for (const auto& [method, attempt] : methods_) {
    EXPECT_EQ(attempt(door, "own-m"), StatusCode::UNAUTHENTICATED) << method;
  }
}

TEST_F(StreamAccessTest, AStreamEndsWhenItsCallerIsRevoked) {
  ASSERT_TRUE(Open("learn-token"));
  Write("policy", "[owner]\n" + HashLine("owner") + "role = admin\nmodels = *\n");
  EXPECT_EQ(AwaitEnd(), StatusCode::UNAUTHENTICATED);
}

TEST_F(StreamAccessTest, AWatchEndsWhenItsCallerMayNoLongerUseTheModel) {
  ASSERT_TRUE(Open("learn-token"));
  const Door door = Token("learn-token");
  grpc::ClientContext context;
  context.AddMetadata("authorization", door.authorization);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  v1::WatchEvaluationRequest watched;
  watched.set_name("models/own-m");
  const auto watch = v1::LearningService::NewStub(door.channel)->WatchEvaluation(&context, watched);
  v1::GetEvaluationResponse evaluation;
  ASSERT_TRUE(watch->Read(&evaluation));
  Write("policy", "[learn]\n" + HashLine("learn-token") + "role = learn\nmodels = elsewhere\n");
  while (watch->Read(&evaluation)) continue;
  EXPECT_EQ(watch->Finish().error_code(), StatusCode::PERMISSION_DENIED);
}

TEST_F(StreamAccessTest, AStreamSeesWhatItsCallerMayNoLongerUse) {
  ASSERT_TRUE(Open("learn-token"));
  Write("policy", "[learn]\n" + HashLine("learn-token") + "role = learn\nmodels = elsewhere\n");
  v1::LearnStreamRequest request;
  *request.mutable_batch() = LinearBatch(2);
  v1::LearnStreamResponse response;
  EXPECT_TRUE(Await([&] {
    return stream_->Write(request) && stream_->Read(&response) &&
           response.error().code() == StatusCode::PERMISSION_DENIED;
  }));
  stream_->WritesDone();
  EXPECT_EQ(AwaitEnd(), StatusCode::OK);
}

}  // namespace
}  // namespace prequel::access_test
