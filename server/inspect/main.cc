// prequel-log: looks a data directory over while no server has it open, and mends what can be.
#include <google/protobuf/util/json_util.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "prequel/v1/batch.pb.h"
#include "server/engine/records/record.h"
#include "server/inspect/inspection.h"
#include "server/inspect/salvage.h"
#include "server/storage/rocks/rocks_store.h"
#include "server/storage/salvage/salvage_files.h"
#include "server/wire_codec.h"

namespace prequel {
namespace {

constexpr int kGood = 0, kProblems = 1, kUsage = 2;

struct Flags {
  std::string directory;
  std::string model;  // empty: all
  std::string to;     // the new directory
  std::uint64_t from = 0;
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  bool data = false;
};

std::string Quoted(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text.append({'\\', c});
    } else if (byte < 0x20 || byte >= 0x7F) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", byte);
      text += escaped;
    } else {
      text.push_back(c);
    }
  }
  return text + "\"";
}

std::string BatchText(std::string_view payload) {
  v1::Batch batch;
  std::string json = "null";
  if (batch.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) {
    json.clear();
    (void)google::protobuf::util::MessageToJsonString(batch, &json);
  }
  return json;
}

// One line of JSON.
std::string RecordText(const LogRecord& record, bool data) {
  const RecordDescription description = Describe(record);
  std::string text =
      absl::StrCat("{\"offset\":", record.offset, ",\"type\":", Quoted(description.kind),
                   ",\"time_us\":", record.time_us, ",\"bytes\":", record.payload.size());
  if (!record.producer.empty()) {
    const bool numbered = record.sequence > 0;
    absl::StrAppend(&text,
                    numbered ? ",\"producer\":" : ",\"request_id\":", Quoted(record.producer));
    if (numbered) absl::StrAppend(&text, ",\"sequence\":", record.sequence);
  }
  if (data && description.kind == Minibatch::kName) {
    absl::StrAppend(&text, ",\"batch\":", BatchText(record.payload));
  }
  for (const auto& [name, value] : description.details) {
    absl::StrAppend(&text, ",", Quoted(name), ":", Quoted(value));
  }
  return text + "}";
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "prequel-log: %s\n", std::string(status.message()).c_str());
  return kProblems;
}

int Dump(const Log& log, const StoredModel& model, const Flags& flags) {
  const absl::StatusOr<std::uint64_t> first = log.FirstOffset(model.log);
  if (!first.ok()) return Fail(first.status());
  const std::unique_ptr<Follower> follower = log.Follow(model.log, std::max(*first, flags.from));
  const absl::Status status =
      follower
          ->Next(flags.limit,
                 [&flags](const LogRecord& record) {
                   std::printf("%s\n", RecordText(record, flags.data).c_str());
                   return absl::OkStatus();
                 })
          .status();
  return status.ok() || absl::IsOutOfRange(status) ? kGood : Fail(status);
}

int Report(const Inspection& inspection) {
  std::printf("models/%s: records %llu to %llu, %lld snapshots", inspection.model.c_str(),
              static_cast<unsigned long long>(inspection.first_offset),
              static_cast<unsigned long long>(inspection.next_offset),
              static_cast<long long>(inspection.snapshots));
  if (inspection.revision >= 0) {
    std::printf(", revision %lld", static_cast<long long>(inspection.revision));
  }
  std::printf("%s\n", inspection.problems.empty() ? ", good" : "");
  for (const std::string& problem : inspection.problems) std::printf("  %s\n", problem.c_str());
  return inspection.problems.empty() ? kGood : kProblems;
}

int AcceptLoss(const Flags& flags) {
  const absl::StatusOr<std::unique_ptr<RocksStore>> store =
      RocksStore::Open({.directory = flags.directory, .create = false, .renew_marks = true});
  if (!store.ok()) return Fail(store.status());
  const absl::StatusOr<std::vector<StoredModel>> models = (*store)->catalogue().ListModels();
  if (!models.ok()) return Fail(models.status());
  if (!flags.model.empty() && std::ranges::count(*models, flags.model, &StoredModel::name) == 0) {
    return Fail(absl::NotFoundError("there is no model " + flags.model));
  }
  const absl::Status accepted = (*store)->AcceptLoss(flags.model);
  if (!accepted.ok()) return Fail(accepted);
  const absl::StatusOr<std::vector<StoredModel>> after = (*store)->catalogue().ListModels();
  if (!after.ok()) return Fail(after.status());
  bool nothing = true;
  for (const StoredModel& model : *models) {
    if (model.problem.ok() || (!flags.model.empty() && flags.model != model.name)) continue;
    nothing = false;
    const auto now = std::ranges::find(*after, model.log, &StoredModel::log);
    const char* const then = now == after->end() ? "is forgotten"
                             : now->problem.ok() ? "goes on from what is there"
                                                 : "does not serve";
    const std::string why(model.problem.message());
    std::printf("models/%s %s: %s\n", model.name.c_str(), then,
                why.substr(0, why.find(';')).c_str());  // up to its advice
  }
  if (nothing) std::printf("nothing is missing\n");
  return kGood;
}

int Report(const SalvagedModel& model) {
  const char* const name = model.model.c_str();
  const auto number = [](auto value) { return static_cast<unsigned long long>(value); };
  if (!model.problem.ok()) {
    std::printf("models/%s: lost: %s\n", name, std::string(model.problem.message()).c_str());
  } else {
    std::printf("models/%s: saved to revision %llu, records %llu to %llu, %llu snapshots\n", name,
                number(model.revision), number(model.begin), number(model.end),
                number(model.snapshots));
  }
  const bool lost = model.problem.ok() && model.end < model.acknowledged;
  if (lost) {
    const std::uint64_t records = model.acknowledged - model.end;
    std::printf("  lost: records %llu to %llu, revisions %llu to %llu (fewer if some made none)\n",
                number(model.end), number(model.acknowledged - 1), number(model.revision + 1),
                number(model.revision) + records);
  }
  for (const std::string& damage : model.damage) std::printf("  %s\n", damage.c_str());
  return model.problem.ok() && !lost && model.damage.empty() ? kGood : kProblems;
}

int Salvage(const Flags& flags) {
  const absl::StatusOr<Salvaged> files = SalvageFiles(flags.directory, flags.to);
  if (!files.ok()) return Fail(files.status());
  for (const std::string& file : files->damaged) std::printf("%s\n", file.c_str());
  for (const std::string& model : files->left_out) {
    std::printf("models/%s: left out: it had been deleted, or was never acknowledged\n",
                model.c_str());
  }
  auto store = RocksStore::Open({.directory = flags.to, .unfinished = true, .renew_marks = true});
  if (!store.ok()) return Fail(store.status());
  const WireCodec codec;
  const absl::StatusOr<std::vector<SalvagedModel>> models = SalvageModels(**store, codec);
  if (!models.ok()) return Fail(models.status());
  store->reset();
  if (const absl::Status done = FinishSalvage(flags.to); !done.ok()) return Fail(done);
  int result = files->damaged.empty() ? kGood : kProblems;
  for (const SalvagedModel& model : *models) result = std::max(result, Report(model));
  return result;
}

int Run(const std::string& command, const Flags& flags) {
  umask(S_IRWXG | S_IRWXO);  // as the server's: models are nobody else's business
  if (command == "salvage") return Salvage(flags);
  if (command == "accept-loss") return AcceptLoss(flags);
  const absl::StatusOr<std::unique_ptr<RocksStore>> store =
      RocksStore::Open({.directory = flags.directory, .read_only = true});
  if (!store.ok()) return Fail(store.status());
  const absl::StatusOr<std::vector<StoredModel>> models = (*store)->catalogue().ListModels();
  if (!models.ok()) return Fail(models.status());
  const WireCodec codec;
  const Inspector inspector((*store)->log(), (*store)->snapshots(), codec);
  int result = kGood, found = 0;
  if (const absl::Status marks = (*store)->CheckMarks(); !marks.ok()) result = Fail(marks);
  for (const StoredModel& model : *models) {
    if (!flags.model.empty() && flags.model != model.name) continue;
    ++found;
    const int of_model = command == "dump"     ? Dump((*store)->log(), model, flags)
                         : command == "replay" ? Report(inspector.Replay(model))
                                               : Report(inspector.Check(model));
    result = std::max(result, of_model);
  }
  if (found == 0 && !flags.model.empty()) {
    return Fail(absl::NotFoundError("there is no model " + flags.model));
  }
  return result;
}

}  // namespace
}  // namespace prequel

int main(int argc, char** argv) {
  prequel::Flags flags;
  CLI::App app("Looks a data directory over, or mends it, while no server has it open.",
               "prequel-log");
  app.footer("Exit codes: 0 good, 1 problems were found, 2 the command line is wrong");
  app.set_version_flag("--version", "prequel-log " PREQUEL_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--data-dir", flags.directory, "the server's data directory")->required();
  app.add_option("--model", flags.model, "this model only");
  app.add_subcommand("check", "Reads every byte: records, snapshots, checksums, gaps");
  app.add_subcommand("replay",
                     "Checks, folds the logs again, and compares with every snapshot, bit by bit");
  CLI::App& dump = *app.add_subcommand("dump", "Prints the log's records, one line of JSON each");
  dump.add_option("--from", flags.from, "the first offset");
  dump.add_option("--limit", flags.limit, "so many records of each model");
  dump.add_flag("--data", flags.data, "with the minibatches themselves");
  CLI::App& salvage = *app.add_subcommand(
      "salvage", "Copies what is sound into a new directory, and lists what is not");
  salvage.add_option("--to", flags.to, "the new directory; there is none yet")->required();
  app.add_subcommand("accept-loss",
                     "Gives up what was acknowledged and is missing: the next server goes on from "
                     "what is there. Changes the directory");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? prequel::kGood : prequel::kUsage;
  }
  return prequel::Run(app.get_subcommands().front()->get_name(), flags);
}
