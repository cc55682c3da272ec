// A bound of a number on the command line, and what is said of one beyond it.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "absl/strings/str_cat.h"
#include "client/data/number.h"

namespace prequel::cli {

// CLI11's own validators write every digit of the largest double.
inline CLI::Validator AtLeast(int low) {
  return CLI::Validator(
      [low](const std::string& text) {
        const std::optional<double> value = client::ParseNumber(text);
        if (value && *value >= low) return std::string();
        return absl::StrCat("must be a number from ", low, " on, is '", text, "'");
      },
      absl::StrCat(">=", low));
}

}  // namespace prequel::cli
