#include "tests/accept/check.h"

#include <cmath>
#include <cstdio>
#include <utility>

namespace prequel::accept {
namespace {

const char* Symbol(Direction direction) {
  return direction == Direction::kAtMost ? "<=" : direction == Direction::kAtLeast ? ">=" : "";
}

std::string JsonString(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string JsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

}  // namespace

Mean MeanOf(const std::vector<double>& values) {
  Mean mean;
  const auto n = static_cast<double>(values.size());
  for (const double v : values) mean.value += v / n;
  double squares = 0;
  for (const double v : values) squares += (v - mean.value) * (v - mean.value);
  if (values.size() > 1) mean.stderr_ = std::sqrt(squares / (n - 1) / n);
  return mean;
}

void Report::Section(const std::string& title) {
  if (!json_) std::printf("\n%s\n", title.c_str());
  sections_.push_back({.title = title});
}

void Report::Describe(const std::string& text) {
  if (!json_) std::printf("%s\n", text.c_str());
  sections_.back().paragraphs.push_back(text);
}

void Report::Figure(const std::string& name, const std::string& svg) {
  sections_.back().figures.push_back({name, svg});
}

void Report::Add(Check check) {
  if (!json_) {
    std::printf("  %-4s %-58s %12.6g",
                !check.bounded() ? ""
                : check.pass()   ? "ok"
                                 : "FAIL",
                check.name.c_str(), check.value);
    if (check.stderr_ > 0) {
      std::printf(" ± %-9.2g", check.stderr_);
    } else {
      std::printf("   %-9s", "");
    }
    if (check.bounded()) {
      std::printf(" %s %-9.6g", Symbol(check.direction), check.target);
    } else {
      std::printf(" %12s", "");
    }
    std::printf(" %s\n", check.setting.c_str());
    std::fflush(stdout);
  }
  sections_.back().checks.push_back(std::move(check));
}

void Report::Skip(const std::string& name, const std::string& reason) {
  ++skipped_;
  sections_.back().skipped.push_back(name + ": " + reason);
  std::fprintf(json_ ? stderr : stdout, "  skip %s: %s\n", name.c_str(), reason.c_str());
}

std::vector<Check> Report::Checks() const {
  std::vector<Check> all;
  for (const Part& part : sections_) all.insert(all.end(), part.checks.begin(), part.checks.end());
  return all;
}

int Report::Finish() const {
  const std::vector<Check> checks = Checks();
  int bounded = 0, failed = 0;
  for (const Check& check : checks) {
    bounded += check.bounded() ? 1 : 0;
    failed += check.pass() ? 0 : 1;
  }
  if (json_) {
    std::printf("[");
    for (std::size_t i = 0; i < checks.size(); ++i) {
      const Check& c = checks[i];
      std::printf(
          "%s\n  {\"check\": %s, \"value\": %s, \"stderr\": %s, \"target\": %s, "
          "\"direction\": \"%s\", \"pass\": %s, \"setting\": %s}",
          i == 0 ? "" : ",", JsonString(c.name).c_str(), JsonNumber(c.value).c_str(),
          JsonNumber(c.stderr_).c_str(), c.bounded() ? JsonNumber(c.target).c_str() : "null",
          Symbol(c.direction), c.pass() ? "true" : "false", JsonString(c.setting).c_str());
    }
    std::printf("\n]\n");
  } else {
    std::printf("\n%d passed, %d failed, %d skipped\n", bounded - failed, failed, skipped_);
  }
  return failed == 0 && bounded > 0 ? 0 : 1;
}

}  // namespace prequel::accept
