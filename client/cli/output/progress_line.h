// A line that says how far we are, for people only.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace prequel::cli {

// Redraws one line on the standard error at most ten times a second; silent when that is not a
// terminal or `enabled` is false. The line is gone when the object is.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ~ProgressLine() { Clear(); }

  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Whether Show would draw now: saves making the text.
  bool due() const;
  // `fraction` in [0, 1] draws a bar before the text.
  void Show(const std::optional<double>& fraction, const std::string& text);
  // Makes room for other output.
  void Clear();

 private:
  const bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

// "[########--------]  50 %", `fraction` clamped.
std::string Bar(double fraction);

}  // namespace prequel::cli
