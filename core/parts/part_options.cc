#include "core/parts/part_options.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <variant>

namespace prequel {
namespace {

constexpr int kDepth = 2;
// Stands for a value of an option whose presence alone is of interest.
constexpr std::string_view kPresent = "";

// WordsOf are the words that were chosen.
std::map<std::string, std::string> WordsOf(const std::map<std::string, OptionValue>& given) {
  std::map<std::string, std::string> words;
  for (const auto& [name, value] : given) {
    const auto* word = std::get_if<std::string>(&value);
    if (word != nullptr && *word != kPresent) words[name] = *word;
  }
  return words;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// OfAnyLayer: "layer1.bias" and "layer2.bias" are one option of each layer.
std::string OfAnyLayer(const std::string& name) {
  constexpr std::string_view kLayer = "layer";
  const std::size_t dot = name.find('.');
  if (!name.starts_with(kLayer) || dot == name.npos) return name;
  return std::string(kLayer) + "L" + name.substr(dot);
}

}  // namespace

PartOptions::PartOptions(const ReadPart& read) : read_(read) { Explore({}, 0); }

void PartOptions::Explore(const Given& given, int depth) {
  const OptionRecord record = read_({"", given});
  // A word that is not admitted after all says nothing of the others.
  for (const auto& chosen : WordsOf(given)) {
    if (Contains(record.failed, chosen.first)) return;
  }
  help_ = record.help;
  cost_ = record.cost;
  Add(record, given);
  if (depth == kDepth) return;
  for (const OptionSpec& option : record.options) {
    if (option.kind != OptionKind::kWord) continue;
    const auto chosen = given.find(option.name);
    const bool present =
        chosen != given.end() && chosen->second == OptionValue(std::string(kPresent));
    if (chosen != given.end() && !present) continue;
    for (const std::string& word : option.words) {
      if (option.by_default == OptionValue(word)) continue;
      Given more = given;
      more[option.name] = word;
      Explore(more, present ? depth : depth + 1);
    }
  }
  const std::set<std::string> asked(record.asked.begin(), record.asked.end());
  for (const std::string& name : asked) {
    if (given.contains(name)) continue;
    Given more = given;
    more[name] = std::string(kPresent);
    Explore(more, depth + 1);
  }
}

void PartOptions::Add(const OptionRecord& record, const Given& given) {
  const std::map<std::string, std::string> words = WordsOf(given);
  for (OptionSpec spec : record.options) {
    const bool missed = Contains(record.failed, spec.name) && !given.contains(spec.name);
    spec.name = OfAnyLayer(spec.name);
    const auto known =
        std::find_if(options_.begin(), options_.end(),
                     [&](const PartOption& option) { return option.spec.name == spec.name; });
    if (known == options_.end()) {
      options_.push_back({.spec = std::move(spec), .where = words, .needed = missed});
      continue;
    }
    // What fewer choices lead to is said of those.
    if (words.size() < known->where.size()) known->where = words;
    // What follows from another option's presence alone is for its help to say.
    if (missed || words.empty() || given.contains(spec.name) ||
        spec.by_default == known->spec.by_default) {
      continue;
    }
    const bool said =
        std::any_of(known->otherwise.begin(), known->otherwise.end(),
                    [&](const OtherDefault& other) { return other.value == *spec.by_default; });
    if (spec.by_default && !said) known->otherwise.push_back({words, *spec.by_default});
  }
}

}  // namespace prequel
