// prequel_accept NAME [--json] [--results FOLDER]: measures the promised numbers; exit status 1
// when any falls short. The results are also written as FOLDER/NAME.md.
#include <cstdio>
#include <string>

#include "tests/accept/check.h"
#include "tests/accept/durability.h"
#include "tests/accept/guard.h"

int main(int argc, char** argv) {
  std::string name, results;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--json") {
      json = true;
    } else if (argument == "--results" && i + 1 < argc) {
      results = argv[++i];
    } else {
      name = argument;
    }
  }
  prequel::accept::Report report(json, results);
  if (!prequel::accept::RunAcceptance(name, report) &&
      !prequel::accept::RunDurability(name, report) && !prequel::accept::RunGuard(name, report)) {
    std::fprintf(
        stderr,
        "usage: prequel_accept NAME [--json] [--results FOLDER]\n\n"
        "  core        the rules and the fold: oracles, streams, calibration, determinism\n"
        "  rules       every rule against published figures and baselines (rules.SECTION:\n"
        "              logistic, a1a, convergence, calibration, continual, one_pass, uci,\n"
        "              speed)\n"
        "  defaults    what somebody gets who sets no option (defaults.SECTION: expectations,\n"
        "              noise, sets, counts, speed)\n"
        "  moving      worlds that move, and some that do not (moving.SECTION: streams, made,\n"
        "              stationary, hindsight, calibration, prior, robust, cost, long_run)\n"
        "  truth       whether what is served is the posterior, by part (truth.SECTION:\n"
        "              mean_function, order, categories, horizon, missing, quantile_sides,\n"
        "              false_alarms, delays)\n"
        "  durability  nothing is lost, nothing counted twice: kill -9 under load, random\n"
        "              schedules, readers beside writers, what it costs, an hour of it all\n"
        "              (durability.SECTION: kill, simulation, readers, speed, snapshots, waiters,\n"
        "              soak)\n"
        "  guard       nobody takes the service from the others: attacks with a bystander beside\n"
        "              them, starts with heavy and damaged logs, fairness, deleting and stopping,\n"
        "              what TLS and a token cost (guard.SECTION: attacks, starts, fairness,\n"
        "              greed, stopping, cost; PREQUEL_ATTACK names one attack); by its name alone\n"
        "              guard.chaos, an hour of kill -9, attacks, full disks, changing\n"
        "              certificates and policies at once (PREQUEL_CHAOS_SECONDS=120 for a look)\n"
        "  peers       our rules beside independent implementations in Python: a program of its\n"
        "              own, which ./dev accept peers builds and runs\n");
    return 2;
  }
  if (!report.WriteResults(name)) {
    std::fprintf(stderr, "cannot write %s/%s.md\n", results.c_str(), name.c_str());
    return 2;
  }
  return report.Finish();
}
