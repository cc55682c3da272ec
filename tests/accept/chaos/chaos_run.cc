#include "tests/accept/chaos/chaos_run.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/accept/chaos/floods.h"
#include "tests/accept/chaos/full_disks.h"
#include "tests/accept/chaos/ledger.h"
#include "tests/accept/chaos/registrar.h"
#include "tests/accept/chaos/service.h"
#include "tests/accept/chaos/small_disk.h"
#include "tests/accept/chaos/writers.h"
#include "tests/accept/guard/attacks/attack.h"
#include "tests/accept/guard/attacks/slow_clients.h"
#include "tests/accept/guard/papers.h"
#include "tests/bench/served.h"
#include "tests/end_to_end/crash_stream.h"

namespace prequel::accept {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kModels = 3;
constexpr seconds kAttacked(8), kLongest(180);
constexpr seconds kRest(35);  // the server gives back what it has freed once it has rested for 10 s
constexpr char kVisited[] = "visited";

std::string WriterName(int model) { return absl::StrCat("writer-", model); }

std::vector<Papers::Principal> Principals() {
  std::vector<Papers::Principal> principals = {
      {"admin", "admin", "*"}, {"attacker", "admin", "*"}, {"visitor", "read", kVisited}};
  for (int m = 0; m < kModels; ++m) principals.push_back({WriterName(m), "learn", HonestModel(m)});
  return principals;
}

std::vector<std::string> FlagsFor(const std::string& data, std::int64_t memory,
                                  const Papers& papers) {
  std::vector<std::string> flags = papers.Flags();
  for (const std::string& flag :
       {"--data-dir=" + data, absl::StrCat("--memory=", memory),
        std::string("--patience-seconds=3"), std::string("--snapshot-batches=500"),
        std::string("--snapshots-kept=2")}) {
    flags.push_back(flag);
  }
  return flags;
}

class ChaosRun {
 public:
  explicit ChaosRun(const ChaosOptions& options)
      : options_(options),
        papers_(folder_.path() + "/papers", Principals()),
        disk_(folder_.path() + "/disk"),
        service_(FlagsFor(folder_.path() + "/disk/data", options.memory, papers_)),
        admin_(papers_.OptionsOf("admin", service_.grpc())),
        ledger_(kModels),
        audit_(kModels, admin_, ledger_),
        random_(options.seed) {
    if (disk_.is_mounted()) disk_.LeaveRoom(SmallDisk::kLittleRoom);
  }

  ChaosResult Run() {
    if (Start() && CreateModels()) {
      Begin();
      end_ = steady_clock::now() + options_.length;
      while (steady_clock::now() < end_ - options_.length / 2 && KillAndLook()) {
      }
      while (steady_clock::now() < end_ && AttackAndLook()) {
      }
      if (result_.problem.empty()) (void)KillOnceMore();
      End();
    }
    result_.acknowledged = ledger_.acknowledged();
    result_.repeated = ledger_.repeated();
    result_.clashes = ledger_.clashes();
    result_.audit = audit_.findings();
    return result_;
  }

 private:
  bool Fail(const std::string& problem) {
    if (result_.problem.empty()) result_.problem = problem;
    return false;
  }

  void Begin() {
    const std::string& grpc = service_.grpc();
    const std::string& http = service_.http();
    writers_.emplace(
        kModels, options_.seed,
        [&](int model) { return papers_.OptionsOf(WriterName(model), grpc); }, ledger_);
    Entrance entrance = papers_.EntranceOf("attacker", grpc);
    entrance.http = http;
    floods_.emplace(
        entrance, papers_.OptionsOf("admin", grpc),
        [](const std::string& id) { return IsHonestModel(id) || id == kVisited; },
        [this](const std::string& attack) { NoteMemory(attack); });
    slow_clients_.emplace(entrance);
    registrar_.emplace(papers_, "visitor", kVisited, grpc, http);
    if (disk_.is_mounted()) {
      full_disks_.emplace(disk_, Wire::Options{.address = http, .ca = papers_.ca()}, options_.seed);
    }
    writers_->Resume();
  }

  void End() {
    result_.has_disk = full_disks_.has_value();
    if (full_disks_) {
      result_.fills = full_disks_->fills();
      result_.fills_noticed = full_disks_->noticed();
      result_.slowest_disk = full_disks_->slowest();
      result_.most_disk = full_disks_->most_used_mib();
    }
    full_disks_.reset();
    result_.certificates = registrar_->certificates();
    result_.certificates_not_shown = registrar_->certificates_not_shown();
    result_.policies = registrar_->policies();
    result_.policies_not_counting = registrar_->policies_not_counting();
    result_.refused = registrar_->refused();
    result_.wrongly_accepted = registrar_->wrongly_accepted();
    result_.wrongly_refused = registrar_->wrongly_refused();
    result_.slowest_policy = registrar_->slowest();
    registrar_.reset();
    result_.slow_connections = slow_clients_->connections();
    slow_clients_.reset();
    result_.attacks = floods_->attacks();
    floods_.reset();
    NoteMemory("");
    result_.streams_left = writers_->left();
    result_.streams_ended = writers_->ended();
    result_.cancelled = writers_->cancelled();
    writers_.reset();
  }

  // The most since the last time; on the thread of the attacks, and after their end.
  void NoteMemory(const std::string& attack) {
    std::int64_t& most = result_.most_resident[attack];
    most = std::max(most, service_.TakeMostResident());
  }

  bool Start() {
    service_.Launch();
    if (service_.AwaitReady(admin_, kLongest)) return true;
    service_.Kill();
    std::fprintf(stderr, "%s\n", service_.log().c_str());
    return Fail("the server did not become ready");
  }

  bool CreateModels() {
    for (int m = 0; m < kModels; ++m) {
      const absl::Status made = admin_.CreateModel(HonestModel(m), CrashConfig(m)).status();
      if (!made.ok()) return Fail(made.ToString());
    }
    const absl::Status made = admin_.CreateModel(kVisited, CrashConfig(0)).status();
    return made.ok() || Fail(made.ToString());
  }

  int Draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  // Some seconds to half a minute of life, and every third time another death while it recovers.
  bool KillAndLook() {
    floods_->Resume();
    const double life = 2 + std::exponential_distribution<double>(1.0 / 7)(random_);
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(life, 30.0)));
    Kill();
    while (Draw(0, 2) == 0) {
      service_.Launch();
      std::this_thread::sleep_for(milliseconds(Draw(1, 300)));
      Kill();
      ++result_.kills_recovering;
    }
    if (!Start()) return false;
    audit_.Bound();
    if (!floods_->Pause(kLongest)) return Fail("an attack did not end");
    return Compare();
  }

  void Kill() {
    service_.Kill();
    ++result_.kills;
  }

  // Each attack once, then a rest from attacks and writers: readings of memory follow the same
  // things.
  bool AttackAndLook() {
    for (std::size_t i = 0; i < Attacks().size() && steady_clock::now() < end_; ++i) {
      floods_->Resume();
      std::this_thread::sleep_for(kAttacked);
      if (!floods_->Pause(kLongest)) return Fail("an attack did not end");
      if (!Compare()) return false;
    }
    // What is learned comes and goes in memory faster than freed memory is given back.
    if (!writers_->Drain(kLongest)) return Fail("a writer was not answered");
    std::int64_t least = service_.resident();
    const auto until = steady_clock::now() + kRest;
    while (steady_clock::now() < std::min(until, end_)) {
      std::this_thread::sleep_for(milliseconds(200));
      least = std::min(least, service_.resident());
    }
    if (until <= end_) result_.rested.push_back(static_cast<double>(least));
    return Compare();
  }

  // True: all is as it should be, and writers go on.
  bool Compare() {
    if (!writers_->Drain(kLongest)) return Fail("a writer was not answered");
    if (!writers_->problem().empty()) return Fail(writers_->problem());
    audit_.Compare();
    const Audit::Findings& found = audit_.findings();
    if (!found.problem.empty()) return Fail(found.problem);
    if (found.lost + found.doubled + found.wrong > 0) return Fail("the models are not right");
    writers_->Resume();
    return true;
  }

  // With nobody writing: what is compared has been through a restart.
  bool KillOnceMore() {
    if (!writers_->Drain(kLongest)) return Fail("a writer was not answered");
    Kill();
    if (!Start()) return false;
    audit_.Compare();
    return audit_.findings().problem.empty() || Fail(audit_.findings().problem);
  }

  const ChaosOptions options_;
  const ScratchFolder folder_;
  Papers papers_;
  SmallDisk disk_;
  Service service_;
  client::Client admin_;
  Ledger ledger_;
  Audit audit_;
  std::mt19937_64 random_;
  steady_clock::time_point end_;
  // Each goes on beside the others, from Begin to End.
  std::optional<Writers> writers_;
  std::optional<Floods> floods_;
  std::optional<SlowClients> slow_clients_;
  std::optional<Registrar> registrar_;
  std::optional<FullDisks> full_disks_;
  ChaosResult result_;
};

}  // namespace

ChaosResult RunChaos(const ChaosOptions& options) { return ChaosRun(options).Run(); }

}  // namespace prequel::accept
