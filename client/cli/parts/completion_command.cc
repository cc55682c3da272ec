#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/cli/commands.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"

namespace prequel::cli {
namespace {

// What follows a word is the command line's own: subcommands, flags and their words as CLI11 has
// them, models and parts as the server lists them. Where a flag takes anything else, a file's name.
constexpr char kBash[] = R"SCRIPT(
_prequel_ask() { "${COMP_WORDS[0]}" "${_prequel_connection[@]}" "$@" 2>/dev/null; }
_prequel_models() {
  _prequel_ask list --json | grep -o '"name": *"models/[^"]*"' | cut -d/ -f2 | tr -d '"'
}
_prequel_values() {
  case $1 in
    --model | --likelihood | --prior | --posterior | --rule | --dynamics | --calibration | \
      --robustness)
      _prequel_ask parts --names | sed -n "s/^${1#--}\.\([^.]*\)$/\1/p" ;;
    --option)
      _prequel_ask parts --names | sed -n 's/^\([^.]*\)\.[^.]*\.\(.*\)$/\1.\2=/p' | sort -u ;;
  esac
}
# The subcommands before the word at the cursor into `command`, and what says which server is asked.
_prequel_read() {
  local i word
  command= _prequel_connection=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == -* ]]; then
      _prequel_takes "$word" || continue
      [[ $word != --server && $word != --token-file && $word != --tls-* ]] ||
        _prequel_connection+=("$word" "${COMP_WORDS[i + 1]}")
      ((++i))
    elif _prequel_words "$command $word" >/dev/null; then
      command="$command $word"
    fi
  done
}
_prequel() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command words
  local -a _prequel_connection
  _prequel_read
  if _prequel_takes "$previous"; then
    words=$(_prequel_values "$previous")
    [[ $previous != --option ]] || compopt -o nospace 2>/dev/null || true
  else
    words=$(_prequel_words "$command")
    case $command in
      ' parts') words+=" $(_prequel_ask parts --names | cut -d. -f2 | sort -u)" ;;
      ' create' | ' generate' | ' health' | ' list' | ' token'* | ' completion' | '') ;;
      *) words+=" $(_prequel_models)" ;;
    esac
    [[ $current == -* ]] || words=$(tr ' ' '\n' <<<"$words" | grep -v '^-')
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _prequel prequel
)SCRIPT";

constexpr char kZsh[] = "autoload -U +X bashcompinit && bashcompinit\n";

// "bash zsh" of a positional that takes only these, which CLI11 describes as {bash,zsh}.
std::string ChoicesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (option.nonpositional() || begin == std::string::npos || end == std::string::npos) return "";
  return absl::StrReplaceAll(type.substr(begin + 1, end - begin - 1), {{",", " "}});
}

// What may stand behind `app`: subcommands, words, flags.
std::set<std::string> WordsOf(const CLI::App& app) {
  std::set<std::string> words;
  for (const CLI::App* command : app.get_subcommands(nullptr)) words.insert(command->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.insert("--" + name);
    if (std::string choices = ChoicesOf(*option); !choices.empty()) words.insert(choices);
  }
  return words;
}

// The cases of `app` and what is below it, `path` being how it is called; and which of its flags
// take a value.
void AddCases(const CLI::App& app, const std::string& path, const std::set<std::string>& anywhere,
              std::string& cases, std::set<std::string>& taking) {
  std::set<std::string> words = WordsOf(app);
  words.insert(anywhere.begin(), anywhere.end());
  absl::StrAppend(&cases, "    '", path, "') echo ", absl::StrJoin(words, " "), " ;;\n");
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;
    for (const std::string& name : option->get_lnames()) taking.insert("--" + name);
  }
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    AddCases(*command, absl::StrCat(path, " ", command->get_name()), anywhere, cases, taking);
  }
}

// `_prequel_words PATH` prints what may stand behind subcommands, and fails for a path of none;
// `_prequel_takes FLAG` tells whether it has a value.
std::string WordFunctions(const CLI::App& app) {
  std::set<std::string> anywhere, taking;
  for (const std::string& word : WordsOf(app)) {
    if (word.starts_with("--")) anywhere.insert(word);
  }
  std::string cases;
  AddCases(app, "", anywhere, cases, taking);
  return absl::StrCat("_prequel_words() {\n  case $1 in\n", cases,
                      "    *) return 1 ;;\n  esac\n}\n_prequel_takes() {\n  case $1 in\n    ",
                      absl::StrJoin(taking, " | "), ") ;;\n    *) return 1 ;;\n  esac\n}\n");
}

struct CompletionFlags {
  std::string shell;
  const CLI::App* app = nullptr;
};

absl::Status PrintCompletion(const CompletionFlags& flags, const Session& /*session*/) {
  std::cout << (flags.shell == "zsh" ? kZsh : "") << WordFunctions(*flags.app) << kBash;
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
