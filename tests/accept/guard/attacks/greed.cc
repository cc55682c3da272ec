#include "tests/accept/guard/attacks/greed.h"

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/str_cat.h"

namespace prequel::accept {
namespace {

std::string Written(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::vector<std::string> Command(const Entrance& server, const Greed::Wants& wants,
                                 const std::string& folder) {
  std::vector<std::string> command = {PREQUEL_GREEDY, server.address, wants.what, wants.models,
                                      absl::StrCat(wants.threads)};
  if (server.ca.empty()) return command;
  command.push_back(Written(folder + "/ca.pem", server.ca));
  command.push_back(Written(folder + "/token", server.token));
  return command;
}

}  // namespace

Greed::Greed(const Entrance& server, const Wants& wants)
    : process_(Command(server, wants, folder_.path()), StandElsewhere),
      following_([this] { Follow(); }) {}

Greed::~Greed() {
  process_.Signal(SIGKILL);
  following_.join();
}

Takings Greed::takings() const {
  MutexLock lock(mu_);
  return takings_;
}

std::int64_t Greed::strikes() const {
  const Takings now = takings();
  return now.learned + now.sampled + now.undecodable;
}

void Greed::Follow() {
  for (std::string line = process_.ReadLine(); !line.empty(); line = process_.ReadLine()) {
    Takings now;
    std::istringstream(line) >> now.learned >> now.sampled >> now.undecodable >> now.refused;
    MutexLock lock(mu_);
    takings_ = now;
  }
}

}  // namespace prequel::accept
