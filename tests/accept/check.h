// A promised number, measured: what ./dev accept prints.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace prequel::accept {

enum class Direction { kAtMost, kAtLeast, kReported };  // the last: no bound

struct Check {
  std::string name;    // what was measured, with its seeds and settings
  double value = 0;    // a mean, when there were several runs
  double stderr_ = 0;  // its standard error; 0 for a single deterministic run
  double target = 0;
  Direction direction = Direction::kAtMost;
  std::string setting;  // seeds, splits, configuration

  bool bounded() const { return direction != Direction::kReported; }
  bool pass() const {
    return !bounded() || (direction == Direction::kAtMost ? value <= target : value >= target);
  }
};

// Collects checks, printing each as it comes unless `json`.
class Report {
 public:
  // `folder`: of the results; empty: they are not written.
  Report(bool json, std::string folder) : json_(json), folder_(std::move(folder)) {
    sections_.emplace_back();
  }

  const std::string& folder() const { return folder_; }

  void Section(const std::string& title);
  // A paragraph of the section: how it is measured, for whoever reads the results.
  void Describe(const std::string& text);
  void Add(Check check);
  // A picture of the section; `name` is its file's, ".svg" included.
  void Figure(const std::string& name, const std::string& svg);
  // Prints that something was not measured, and why. A skip never passes silently: it is counted.
  void Skip(const std::string& name, const std::string& reason);

  // Prints the closing line, or the JSON array; returns the exit status.
  int Finish() const;
  // All of it as folder/name.md, with the figures beside it; false when that cannot be written.
  bool WriteResults(const std::string& name) const;

 private:
  struct Picture {
    std::string name, svg;
  };
  struct Part {
    std::string title;
    std::vector<std::string> paragraphs;
    std::vector<Check> checks;
    std::vector<Picture> figures;
    std::vector<std::string> skipped;
  };

  std::vector<Check> Checks() const;

  bool json_;
  std::string folder_;
  std::vector<Part> sections_;
  int skipped_ = 0;
};

struct Mean {
  double value = 0, stderr_ = 0;
};
Mean MeanOf(const std::vector<double>& values);

// Runs the acceptance named; false for an unknown name.
bool RunAcceptance(const std::string& name, Report& report);

}  // namespace prequel::accept
