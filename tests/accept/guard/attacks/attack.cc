#include "tests/accept/guard/attacks/attack.h"

#include <grpcpp/grpcpp.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/accept/guard/attacks/greed.h"
#include "tests/accept/guard/attacks/idle_connections.h"
#include "tests/accept/guard/attacks/resets.h"
#include "tests/accept/guard/attacks/silent_calls.h"
#include "tests/accept/guard/attacks/slow_clients.h"
#include "tests/accept/guard/attacks/uploads.h"
#include "tests/accept/guard/calls.h"
#include "tests/bench/served.h"

namespace prequel::accept {
namespace {

using std::chrono::system_clock;

// Calls that are begun and left alone: nobody reads their answers.
template <class Request, class Response>
class LeftAlone final : public Attack {
 public:
  template <class Begin>
  LeftAlone(int calls, const Begin& begin) : contexts_(static_cast<std::size_t>(calls)) {
    for (grpc::ClientContext& context : contexts_) {
      readers_.push_back(begin(&context, &queue_));
      readers_.back()->StartCall();
      readers_.back()->ReadInitialMetadata(nullptr);
    }
  }
  ~LeftAlone() override {
    std::vector<Response> responses(readers_.size());
    std::vector<grpc::Status> statuses(readers_.size());
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      contexts_[i].TryCancel();
      readers_[i]->Finish(&responses[i], &statuses[i], nullptr);
    }
    queue_.Shutdown();
    sending_.join();
  }

 private:
  // gRPC sends and receives only while somebody waits for what it has done.
  void Send() {
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) continue;
  }

  grpc::CompletionQueue queue_;
  std::thread sending_{[this] { Send(); }};
  std::vector<grpc::ClientContext> contexts_;
  std::vector<std::unique_ptr<grpc::ClientAsyncResponseReader<Response>>> readers_;
};

std::unique_ptr<Attack> UnreadPredicts(const Entrance& server) {
  (void)Create(server, "small", Linear(2));
  const std::shared_ptr<v1::LearningService::Stub> stub = LearningStub(server);
  v1::PredictRequest request;
  request.set_name("models/small");
  *request.mutable_batch() = Zeros(50000, 2, false);
  return std::make_unique<LeftAlone<v1::PredictRequest, v1::PredictResponse>>(
      279, [&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
        return stub->PrepareAsyncPredict(context, request, queue);
      });
}

// A model of 7 MiB: its imported weights are of its configuration.
std::unique_ptr<Attack> UnreadModels(const Entrance& server) {
  constexpr int kWeights = 900'000;
  v1::ModelConfig config = Linear(kWeights - 1, "diagonal");
  config.mutable_prior()->set_name("imported");
  v1::Tensor& weights = (*config.mutable_prior()->mutable_arrays())["weights"];
  weights.set_dtype(v1::Tensor::DTYPE_FLOAT64);
  weights.add_shape(kWeights);
  weights.mutable_data()->assign(8 * kWeights, '\0');
  (void)Create(server, "weights", config);
  const std::shared_ptr<v1::ModelService::Stub> stub = ModelStub(server);
  v1::GetModelRequest request;
  request.set_name("models/weights");
  return std::make_unique<LeftAlone<v1::GetModelRequest, v1::Model>>(
      987, [&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
        return stub->PrepareAsyncGetModel(context, request, queue);
      });
}

// Predicts of 4 MiB that wait for a revision that never comes.
std::unique_ptr<Attack> Waiting(const Entrance& server) {
  (void)Create(server, "small", Linear(2));
  const std::shared_ptr<v1::LearningService::Stub> stub = LearningStub(server);
  v1::PredictRequest request;
  request.set_name("models/small");
  request.set_min_revision(1'000'000);
  *request.mutable_batch() = Zeros(16, 1 << 16, false);
  return std::make_unique<LeftAlone<v1::PredictRequest, v1::PredictResponse>>(
      400, [&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
        return stub->PrepareAsyncPredict(context, request, queue);
      });
}

// Files that begin, and never end.
class EndlessImports final : public Attack {
 public:
  explicit EndlessImports(const Entrance& server) {
    const std::string file = SomeFile(server);
    for (int i = 0; i < 100; ++i) {
      imports_.push_back(std::make_unique<Import>(server));
      v1::ImportModelRequest request;
      request.set_model_id(absl::StrCat("import-", i));
      for (std::size_t at = 0; at + 1 < file.size(); at += kPiece) {
        request.set_data(file.substr(at, std::min(kPiece, file.size() - 1 - at)));
        if (!imports_.back()->writer->Write(request)) break;
      }
    }
  }
  ~EndlessImports() override {
    for (auto& import : imports_) {
      import->context.TryCancel();
      (void)import->writer->Finish();
    }
  }

 private:
  static constexpr std::size_t kPiece = 1 << 20;
  struct Import {
    explicit Import(const Entrance& server)
        : stub(ModelStub(server)), writer(stub->ImportModel(&context, &model)) {}
    const std::unique_ptr<v1::ModelService::Stub> stub;
    grpc::ClientContext context;
    v1::Model model;
    const std::unique_ptr<grpc::ClientWriter<v1::ImportModelRequest>> writer;
  };

  static std::string SomeFile(const Entrance& server) {
    (void)Create(server, "exported", Linear(1'000'000, "diagonal"));
    const auto stub = ModelStub(server);
    grpc::ClientContext context;
    v1::ExportModelRequest request;
    request.set_name("models/exported");
    const auto reader = stub->ExportModel(&context, request);
    std::string file;
    for (v1::ModelFilePiece piece; reader->Read(&piece);) file += piece.data();
    (void)reader->Finish();
    return file;
  }

  std::vector<std::unique_ptr<Import>> imports_;
};

std::unique_ptr<Attack> LargeModels(const Entrance& server) {
  return std::make_unique<Repeating>(4, [server](int thread) {
    static std::atomic<int> made = 0;
    (void)Create(server, absl::StrCat("large-", thread, "-", ++made), Linear(1 << 20, "diagonal"));
  });
}

// Each as long as is allowed, and given up at once.
std::unique_ptr<Attack> GivenUpQueries(const Entrance& server) {
  (void)Create(server, "small", Linear(2));
  return std::make_unique<Repeating>(8, [server](int) {
    const auto stub = LearningStub(server);
    v1::PredictRequest request;
    request.set_name("models/small");
    request.mutable_options()->set_samples(10000);
    *request.mutable_batch() = Zeros(20, 2, false);
    grpc::ClientContext context;
    context.set_deadline(system_clock::now() + std::chrono::milliseconds(100));
    v1::PredictResponse response;
    (void)stub->Predict(&context, request, &response);
  });
}

// Queries that are waited for, of models of many names.
std::unique_ptr<Attack> LongQueries(const Entrance& server) {
  for (int i = 0; i < 4; ++i) (void)Create(server, absl::StrCat("asked-", i), Linear(2));
  return std::make_unique<Repeating>(16, [server](int thread) {
    const auto stub = LearningStub(server);
    v1::PredictRequest request;
    request.set_name(absl::StrCat("models/asked-", thread % 4));
    request.mutable_options()->set_samples(10000);
    *request.mutable_batch() = Zeros(20, 2, false);
    grpc::ClientContext context;
    context.set_deadline(system_clock::now() + std::chrono::seconds(20));
    v1::PredictResponse response;
    (void)stub->Predict(&context, request, &response);
  });
}

std::unique_ptr<Attack> SlowUpdates(const Entrance& server) {
  for (int i = 0; i < 3; ++i) (void)Create(server, absl::StrCat("slow-", i), Linear(1000));
  return std::make_unique<Repeating>(12, [server](int thread) {
    const auto stub = LearningStub(server);
    v1::LearnRequest request;
    request.set_name(absl::StrCat("models/slow-", thread % 3));
    *request.mutable_batch() = Zeros(64, 1000, true);
    grpc::ClientContext context;
    context.set_deadline(system_clock::now() + std::chrono::seconds(20));
    v1::LearnResponse response;
    (void)stub->Learn(&context, request, &response);
  });
}

std::unique_ptr<Attack> Idle(const Entrance& server) {
  return std::make_unique<IdleConnections>(server, 3000);
}

std::unique_ptr<Attack> Nonsense(const Entrance& server) {
  return std::make_unique<Greed>(server,
                                 Greed::Wants{.what = "nonsense", .models = "none", .threads = 16});
}

template <class A>
std::unique_ptr<Attack> Make(const Entrance& server) {
  return std::make_unique<A>(server);
}

}  // namespace

Repeating::Repeating(int threads, const std::function<void(int)>& work) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this, work, i] {
      while (!stop_) work(i);
    });
  }
}

Repeating::~Repeating() {
  stop_ = true;
  for (std::thread& thread : threads_) thread.join();
}

void StandElsewhere() { (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19); }

const std::vector<NamedAttack>& Attacks() {
  static const std::vector<NamedAttack> kAttacks = {
      {"279 Predicts of 50,000 rows whose answers nobody reads", UnreadPredicts},
      {"987 GetModels of 7 MiB that nobody reads", UnreadModels},
      {"400 Predicts of 4 MiB that wait for a revision", Waiting},
      {"1,000 uploads of 15 MiB that never end", EndlessUploads},
      {"calls that are begun and given up at once", Resets},
      {"64,000 calls whose message never comes", SilentCalls},
      {"100 imports of 16 MB that never end", Make<EndlessImports>},
      {"models of a million weights, one after the other", LargeModels},
      {"queries of 10,000 samples, given up after 100 ms", GivenUpQueries},
      {"queries of 10,000 samples, waited for", LongQueries},
      {"three models with updates of a second", SlowUpdates},
      {"3,000 idle connections from one address", Idle, 50},
      {"200 slow clients, of gRPC and HTTP", Make<SlowClients>},
      {"requests whose bytes are no message, from 16 connections", Nonsense, 100},
  };
  return kAttacks;
}

}  // namespace prequel::accept
