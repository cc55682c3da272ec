// A promised number, measured: what ./dev accept prints.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace prequel::accept {

enum class Direction { kAtMost, kAtLeast };

struct Check {
  std::string name;    // what was measured, with its seeds and settings
  double value = 0;    // a mean, when there were several runs
  double stderr_ = 0;  // its standard error; 0 for a single deterministic run
  double target = 0;
  Direction direction = Direction::kAtMost;
  std::string setting;  // seeds, splits, configuration

  bool pass() const { return direction == Direction::kAtMost ? value <= target : value >= target; }
};

// Collects checks, printing each as it comes unless `json`.
class Report {
 public:
  explicit Report(bool json) : json_(json) {}

  void Section(const std::string& title);
  void Add(Check check);
  // Prints that something was not measured, and why. A skip never passes silently: it is counted.
  void Skip(const std::string& name, const std::string& reason);

  // Prints the closing line, or the JSON array; returns the exit status.
  int Finish();

 private:
  bool json_;
  std::vector<Check> checks_;
  int skipped_ = 0;
};

struct Mean {
  double value = 0, stderr_ = 0;
};
Mean MeanOf(const std::vector<double>& values);

// Runs the acceptance named; false for an unknown name.
bool RunAcceptance(const std::string& name, Report& report);

}  // namespace prequel::accept
