// What the HTTP port is asked: the open inference protocol, health and metrics.
//
// The input chooses a method, then has the path, the length of the JSON that the header says (if it
// says one) and the body. Everything is answered, once, with a status that says whose fault it is;
// what is JSON can be read as such, errors too, and no request makes the server fail.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "server/engine/engine.h"
#include "server/inference/http_face.h"
#include "server/inference/inference_face.h"
#include "server/web/pages.h"
#include "server/wire_codec.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/learners.h"
#include "tests/server/storage/memory_store.h"

namespace prequel::fuzz {
namespace {

constexpr double kQuerySeconds = 0.02;
constexpr std::int64_t kAnswerBytes = 1 << 20, kBodyBytes = 1 << 20;
constexpr std::size_t kModels = 8;

EngineOptions Options() {
  EngineOptions options;
  options.workers = 1;
  options.max_query_seconds = kQuerySeconds;
  options.max_answer_bytes = kAnswerBytes;
  return options;
}

// A server with some models, for all inputs. Nothing that is asked here changes it.
class Host {
 public:
  Host() {
    for (std::size_t i = 0; i < kModels; ++i) {
      const auto made = engine_->CreateModel(absl::StrCat("m", i), LearnerOf(i)->config());
      Require(made.ok(), "the models are made", made.status().ToString());
    }
  }

  HttpAnswer Ask(HttpRequest request) {
    if (std::optional<HttpAnswer> page = AnswerPage(pages_, request)) return *std::move(page);
    std::promise<HttpAnswer> answered;  // of two answers the second throws
    http_.Answer(std::move(request),
                 [&answered](HttpAnswer answer) { answered.set_value(std::move(answer)); });
    return answered.get_future().get();
  }

  bool Brings(const HttpRequest& request) const {
    return static_cast<std::int64_t>(request.body.size()) <= http_.LimitOf(request).bytes;
  }

 private:
  const std::unique_ptr<MemoryStore> store_ =
      MemoryStore::Open(std::make_shared<MemoryDisk>()).value();
  const WireCodec codec_;
  const SystemClock clock_;
  const std::unique_ptr<Engine> engine_ =
      Engine::Create(Options(), {*store_, *store_, *store_, codec_, clock_, {}}).value();
  CallPool queries_{1, 8, "too many"}, long_queries_{1, 8, "too many"}, history_{1, 8, "too many"},
      changes_{1, 8, "too many"};
  const InferenceFace face_{*engine_,
                            {queries_, long_queries_, history_, changes_},
                            {.max_batch_rows = 64, .version = "0", .ready = [] { return true; }}};
  const HttpFace http_{face_, CallParts{{}, Gate()}, kBodyBytes};
  const HttpPages pages_{.metrics = [] { return std::string("metrics"); },
                         .obstacle = [] { return std::string(); },
                         .may_see_metrics = [](const Credentials&) { return absl::OkStatus(); }};
};

bool IsJson(std::string_view text) { return nlohmann::json::accept(text.begin(), text.end()); }

void RequireSound(const HttpAnswer& answer) {
  constexpr std::array<unsigned, 8> kStatuses = {200, 400, 404, 405, 429, 501, 503, 504};
  const bool known =
      std::find(kStatuses.begin(), kStatuses.end(), answer.status) != kStatuses.end();
  Require(known, "no request makes the server fail", absl::StrCat(answer.status, answer.body));
  Require(answer.json_length <= answer.body.size(), "JSON is a part of the answer");
  if (answer.type != "application/json" && answer.json_length == 0) return;
  std::string_view json = answer.body;
  if (answer.json_length > 0) json = json.substr(0, answer.json_length);
  Require(IsJson(json), "JSON can be read", json);
}

void Run(FuzzInput input) {
  static Host& host = *new Host();
  constexpr std::array<const char*, 4> kMethods = {"POST", "GET", "HEAD", "DELETE"};
  const std::uint8_t choice = input.Byte();
  HttpRequest request;
  request.method = kMethods[choice % kMethods.size()];
  request.path = std::string(input.Part());
  if (choice & 0x80) {
    const std::size_t low = input.Byte();
    request.json_length = low | static_cast<std::size_t>(input.Byte()) << 8;
  }
  request.body = std::string(input.Rest());
  request.gone = [] { return false; };
  if (!host.Brings(request)) return;  // the connection refuses it
  RequireSound(host.Ask(std::move(request)));
}

}  // namespace
}  // namespace prequel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  prequel::fuzz::Run({data, size});
  return 0;
}
