// The flags that say by which revision a question is answered.
#pragma once

#include <CLI/CLI.hpp>

#include "client/cli/at_least.h"
#include "client/client.h"

namespace prequel::cli {

inline void AddRevisionFlags(CLI::App& command, client::PredictRevision& when) {
  command
      .add_option("--revision", when.revision,
                  "an earlier revision (default: the newest); `prequel revisions` shows which")
      ->check(AtLeast(0));
  command
      .add_option("--min-revision", when.at_least, "wait until the model has come to this revision")
      ->check(AtLeast(0));
}

}  // namespace prequel::cli
