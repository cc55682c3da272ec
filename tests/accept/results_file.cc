// The results of an acceptance run as Markdown.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_format.h"
#include "tests/accept/check.h"

namespace prequel::accept {
namespace {

// As the cell of a table.
std::string Cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string Row(const Check& check) {
  const std::string wanted =
      absl::StrFormat("%s %.6g", check.direction == Direction::kAtMost ? "≤" : "≥", check.target);
  const std::string spread = check.stderr_ > 0 ? absl::StrFormat("%.2g", check.stderr_) : "";
  return absl::StrFormat("| %s | %.6g | %s | %s | %s | %s |\n", Cell(check.name), check.value,
                         spread, check.bounded() ? wanted : "",
                         !check.bounded() ? ""
                         : check.pass()   ? "yes"
                                          : "**no**",
                         Cell(check.setting));
}

bool Write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  return out.flush().good();
}

}  // namespace

bool Report::WriteResults(const std::string& name) const {
  if (folder_.empty()) return true;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  std::string text = absl::StrFormat(
      "# `./dev accept %s`\n\nWritten by `./dev accept %s --results %s`.\n", name, name, folder_);
  bool written = true;
  for (const Part& part : sections_) {
    if (!part.title.empty()) text += "\n## " + part.title + "\n\n";
    for (const std::string& paragraph : part.paragraphs) text += paragraph + "\n\n";
    if (!part.checks.empty()) {
      text += "| measured | value | standard error | wanted | met | setting |\n";
      text += "|---|---|---|---|---|---|\n";
    }
    for (const Check& check : part.checks) text += Row(check);
    for (const std::string& skip : part.skipped) text += "\nNot measured: " + skip + "\n";
    for (const Picture& picture : part.figures) {
      text += absl::StrFormat("\n![%s](%s)\n", part.title, picture.name);
      written = Write(folder_ + "/" + picture.name, picture.svg) && written;
    }
  }
  return Write(folder_ + "/" + name + ".md", text) && written;
}

}  // namespace prequel::accept
