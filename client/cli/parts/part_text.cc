#include "client/cli/parts/part_text.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/cli/output/table.h"

namespace prequel::cli {
namespace {

std::string Shortest(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr};
}

// "with mode dataset", or nothing.
std::string Condition(const google::protobuf::Map<std::string, std::string>& with) {
  std::vector<std::string> parts;
  for (const auto& [option, word] : std::map<std::string, std::string>(with.begin(), with.end())) {
    parts.push_back(absl::StrCat(option, " ", word));
  }
  return parts.empty() ? "" : absl::StrCat("with ", absl::StrJoin(parts, ", "));
}

std::string HelpText(const v1::PartOption& option) {
  const std::string condition = Condition(option.where());
  return condition.empty() ? option.help() : absl::StrCat(option.help(), " (", condition, ")");
}

// "goes with posterior full, low_rank".
std::vector<std::string> Combinations(const v1::Part& part) {
  std::vector<std::string> lines;
  for (const v1::Combination& combination : part.combinations()) {
    lines.push_back(absl::StrCat("goes with ", combination.kind(), " ",
                                 absl::StrJoin(combination.names(), ", ")));
  }
  return lines;
}

std::string Cell(const std::string& text) { return absl::StrReplaceAll(text, {{"|", "\\|"}}); }

// "`mode` what it does: recursive, dataset, default recursive", in a table of Markdown.
std::string MarkdownOption(const v1::PartOption& option) {
  std::string text = absl::StrCat("`", option.name(), "`");
  if (const std::string help = HelpText(option); !help.empty()) absl::StrAppend(&text, " ", help);
  absl::StrAppend(&text, ": ");
  if (option.type() == v1::PartOption::TYPE_WORD) {
    absl::StrAppend(&text, absl::StrJoin(option.words(), ", "), ", ");
  } else if (option.type() != v1::PartOption::TYPE_FLAG) {
    absl::StrAppend(&text, option.range(), ", ");
  }
  return Cell(absl::StrCat(text, option.needed() ? "" : "default ", DefaultsText(option)));
}

}  // namespace

std::string DefaultText(const google::protobuf::Value& value) {
  switch (value.kind_case()) {
    case google::protobuf::Value::kBoolValue:
      return value.bool_value() ? "true" : "false";
    case google::protobuf::Value::kNumberValue:
      return Shortest(value.number_value());
    case google::protobuf::Value::kStringValue:
      return value.string_value();
    case google::protobuf::Value::kListValue: {
      std::vector<std::string> numbers;
      for (const auto& element : value.list_value().values()) {
        numbers.push_back(DefaultText(element));
      }
      return absl::StrCat("[", absl::StrJoin(numbers, ", "), "]");
    }
    default:
      return "";
  }
}

std::string DefaultsText(const v1::PartOption& option) {
  std::string text = option.needed()              ? "needed"
                     : option.has_default_value() ? DefaultText(option.default_value())
                                                  : "-";
  for (const v1::OtherDefault& other : option.otherwise()) {
    absl::StrAppend(&text, "; ", DefaultText(other.default_value()), " ", Condition(other.where()));
  }
  return text;
}

std::string PartsText(const v1::ListPartsResponse& parts) {
  Table table({"kind", "name", "", "help"});
  for (const v1::Part& part : parts.parts()) {
    table.Add({part.kind(), part.name(), part.usual() ? "usual" : "", part.help()});
  }
  return table.Text();
}

std::string PartText(const v1::Part& part) {
  std::string text = absl::StrCat(part.kind(), " ", part.name(), part.usual() ? " (usual)" : "",
                                  ": ", part.help(), "\n");
  if (!part.cost().empty()) absl::StrAppend(&text, "costs ", part.cost(), "\n");
  for (const std::string& line : Combinations(part)) absl::StrAppend(&text, line, "\n");
  if (part.options().empty()) return text;
  Table table({"option", "default", "range", "help"});
  for (const v1::PartOption& option : part.options()) {
    table.Add({option.name(), DefaultsText(option), option.range(), HelpText(option)});
  }
  return absl::StrCat(text, "\n", table.Text());
}

std::string PartsMarkdown(const v1::ListPartsResponse& parts) {
  std::string text;
  std::string kind;
  for (const v1::Part& part : parts.parts()) {
    if (part.kind() != kind) {
      kind = part.kind();
      absl::StrAppend(&text, text.empty() ? "" : "\n", "## ", kind,
                      "\n\n| name | | options |\n|---|---|---|\n");
    }
    std::vector<std::string> says;
    if (!part.help().empty()) says.push_back(part.help());
    if (part.usual()) says.emplace_back(kind == "query" ? "answered by default" : "usual");
    if (!part.cost().empty()) says.push_back("costs " + part.cost());
    for (const std::string& line : Combinations(part)) says.push_back(line);
    std::vector<std::string> options;
    for (const v1::PartOption& option : part.options()) options.push_back(MarkdownOption(option));
    absl::StrAppend(&text, "| `", part.name(), "` | ", Cell(absl::StrJoin(says, "; ")), " | ",
                    absl::StrJoin(options, "<br>"), " |\n");
  }
  return text;
}

std::string PartNames(const v1::ListPartsResponse& parts) {
  std::string text;
  for (const v1::Part& part : parts.parts()) {
    const std::string name = absl::StrCat(part.kind(), ".", part.name());
    absl::StrAppend(&text, name, "\n");
    for (const v1::PartOption& option : part.options()) {
      absl::StrAppend(&text, name, ".", option.name(), "\n");
    }
  }
  return text;
}

}  // namespace prequel::cli
