// Configurations as people write them: JSON files and --option part.key=value.
//
// The input is a line of options, separated by spaces, and behind it the JSON. What is understood
// goes the way of CreateModel and, in depth, is printed and understood again. Every option is a
// piece of JSON of its own, for which Protocol Buffers looks up its types again: they are read in
// depth only.
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "client/cli/config/config_flags.h"
#include "client/cli/output/proto_json.h"
#include "prequel/v1/config.pb.h"
#include "tests/fuzz/config_checks.h"
#include "tests/fuzz/fuzz_input.h"

namespace prequel::fuzz {
namespace {

void RequireUnderstood(const v1::ModelConfig& config) {
  const std::string json = cli::ToJson(config);
  v1::ModelConfig back;
  const absl::Status status = cli::FromJson(json, &back);
  Require(status.ok(), "what is printed is understood", status.ToString() + "\n" + json);
  Require(cli::ToJson(back) == json, "what is printed means the same", json);
}

void Run(std::string_view input) {
  const bool deep = InDepth(input);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string options(input.substr(0, end));
  v1::ModelConfig config;
  const std::string json(input.substr(std::min(end + 1, input.size())));
  const absl::Status read = cli::FromJson(json, &config);
  if (!read.ok()) {
    Require(absl::IsInvalidArgument(read) && !read.message().empty(),
            "an error says what is wrong");
    config.Clear();
  } else if (deep) {
    RequireUnderstood(config);
  }
  for (const std::string& option : std::vector<std::string>(absl::StrSplit(options, ' '))) {
    if (!deep) break;
    const absl::Status applied = cli::ApplyOption(option, &config);
    if (!applied.ok()) Require(!applied.message().empty(), "an error says what is wrong");
  }
  // What travels is what the server reads.
  v1::ModelConfig sent;
  if (sent.ParseFromString(config.SerializeAsString())) CheckConfig(sent);
}

}  // namespace
}  // namespace prequel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  prequel::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
