#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"

namespace prequel::cli {
namespace {

// What follows a word is the command line's own: subcommands and flags as CLI11 has them, models
// and parts as the server lists them.
constexpr char kBash[] = R"SCRIPT(
_prequel_parts() { "${COMP_WORDS[0]}" parts --names 2>/dev/null; }
_prequel_models() {
  "${COMP_WORDS[0]}" list --json 2>/dev/null | grep -o '"name":"models/[^"]*"' | cut -d/ -f2 |
    tr -d '"'
}
_prequel_values() {
  case $1 in
    --model | --likelihood | --prior | --posterior | --rule | --dynamics | --calibration | \
      --robustness)
      _prequel_parts | sed -n "s/^${1#--}\.\([^.]*\)$/\1/p" ;;
    --option)
      _prequel_parts | sed -n 's/^\([^.]*\)\.[^.]*\.\(.*\)$/\1.\2=/p' | sort -u ;;
    *) return 1 ;;
  esac
}
_prequel() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= words i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }
  done
  if words=$(_prequel_values "$previous"); then
    [[ $previous != --option ]] || compopt -o nospace 2>/dev/null || true
  elif [[ -z $command || $current == -* ]]; then
    words=$(_prequel_words "$command")
  else
    case $command in
      parts) words=$(_prequel_parts | cut -d. -f2 | sort -u) ;;
      generate | health | list | token | completion | import) words= ;;
      *) words=$(_prequel_models) ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _prequel prequel
)SCRIPT";

constexpr char kZsh[] = "autoload -U +X bashcompinit && bashcompinit\n";

// The flags of `app` as words.
std::string FlagsOf(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) absl::StrAppend(&words, " --", name);
  }
  return words;
}

// The function `_prequel_words COMMAND`, which prints what may stand there.
std::string WordsFunction(const CLI::App& app) {
  std::string text = "_prequel_words() {\n  case $1 in\n";
  std::string commands;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    absl::StrAppend(&commands, " ", command->get_name());
    absl::StrAppend(&text, "    ", command->get_name(), ") echo", FlagsOf(*command), FlagsOf(app),
                    " ;;\n");
  }
  return absl::StrCat(text, "    *) echo", commands, FlagsOf(app), " ;;\n  esac\n}\n");
}

struct CompletionFlags {
  std::string shell;
  const CLI::App* app = nullptr;
};

absl::Status PrintCompletion(const CompletionFlags& flags, const Session& /*session*/) {
  std::cout << (flags.shell == "zsh" ? kZsh : "") << WordsFunction(*flags.app) << kBash;
  return absl::OkStatus();
}

}  // namespace

void AddCompletion(CLI::App& app, Session& session) {
  const auto flags = std::make_shared<CompletionFlags>();
  flags->app = &app;
  CLI::App& command =
      AddSubcommand(app, session, "completion",
                    "Print what a shell needs to complete words: source <(prequel completion bash)",
                    flags, PrintCompletion);
  command.add_option("shell", flags->shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
}

}  // namespace prequel::cli
