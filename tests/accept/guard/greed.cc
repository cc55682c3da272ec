#include "tests/accept/guard/greed.h"

#include <signal.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/accept/guard/attack.h"

namespace prequel::accept {
namespace {

std::vector<std::string> Command(const std::string& server, const Greed::Wants& wants,
                                 const std::vector<std::string>& files) {
  std::vector<std::string> command = {PREQUEL_GREEDY, server, wants.models,
                                      absl::StrCat(wants.threads),
                                      wants.samples ? "samples" : "learning"};
  command.insert(command.end(), files.begin(), files.end());
  return command;
}

}  // namespace

Greed::Greed(const std::string& server, const Wants& wants, const std::vector<std::string>& files)
    : process_(Command(server, wants, files), StandElsewhere) {}

int Greed::Stop() {
  process_.Signal(SIGTERM);
  int answered = 0;
  (void)absl::SimpleAtoi(process_.ReadLine(), &answered);
  return answered;
}

}  // namespace prequel::accept
