#include "tests/style/class_files.h"

#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <utility>

#include "tests/style/functions.h"

namespace prequel::style {
namespace {

// `head` up to its parameters, without what stands between < and >: "Status A::f" of
// "template <class T> Status A<T>::f(int x)". Macros with arguments before the name are taken for
// parameters.
std::string NameWithoutArguments(std::string_view head) {
  std::string name;
  int depth = 0;
  for (const char c : head) {
    const bool of_an_operator = name.ends_with("operator") || name.ends_with("operator<");
    if (c == '<' && !of_an_operator) {
      ++depth;
    } else if (c == '>' && depth > 0) {
      --depth;
    } else if (depth == 0) {
      if (c == '(' && !name.empty()) break;
      name += c;
    }
  }
  return name;
}

// The classes that headers define by their full names, as "Engine::Impl".
std::set<std::string> ClassesOfTheirOwn(const std::vector<SourceFile>& tree) {
  static const std::regex kDefinition(
      R"(\b(?:class|struct)\s+((?:\w+::)+\w+)(?:\s+final)?\s*(?::[^;{]*)?\{)");
  std::set<std::string> names;
  for (const SourceFile& file : tree) {
    if (!file.path.ends_with(".h")) continue;
    const std::string text = BlankCommentsAndLiterals(file.text);
    for (std::sregex_iterator it(text.begin(), text.end(), kDefinition), end; it != end; ++it) {
      names.insert((*it)[1].str());
    }
  }
  return names;
}

// Of "A::B::C" the longest beginning that is a class of its own; else "A".
std::string NounOf(std::string name, const std::set<std::string>& own) {
  while (!own.contains(name)) {
    const std::size_t end = name.rfind("::");
    if (end == name.npos) break;
    name.erase(end);
  }
  return name;
}

// Where a class has its members: path and line of the first in each .cc file.
using Places = std::map<std::string, int>;

void AddMembers(const SourceFile& file, const std::set<std::string>& own,
                std::map<std::string, Places>* classes) {
  for (const Function& function : FindFunctions(file.text)) {
    const std::string name = ClassOf(function.head);
    if (name.empty() || function.scope.find(kAnonymous) != std::string::npos) continue;
    (*classes)[function.scope + NounOf(name, own)].emplace(file.path, function.first_line);
  }
}

}  // namespace

std::string ClassOf(std::string_view head) {
  static const std::regex kMember(R"(((?:\w+::)*\w+)::(?:~?\w+|operator\b.*)\s*$)");
  const std::string name = NameWithoutArguments(head);
  std::smatch match;
  return std::regex_search(name, match, kMember) ? match[1].str() : "";
}

std::vector<Finding> CheckClassFiles(const std::vector<SourceFile>& tree) {
  const std::set<std::string> own = ClassesOfTheirOwn(tree);
  std::map<std::string, Places> classes;
  for (const SourceFile& file : tree) {
    if (Extension(file.path) == ".cc") AddMembers(file, own, &classes);
  }
  std::vector<Finding> findings;
  for (const auto& [name, places] : classes) {
    if (places.size() < 2) continue;
    for (const auto& [path, line] : places) {
      const bool first = path == places.begin()->first;
      const auto& other = first ? *std::next(places.begin()) : *places.begin();
      std::string message = "defines members of ";
      message.append(name).append(", and so does ").append(other.first);
      message.append(": a class that needs two sources is two nouns");
      findings.push_back({path, line, std::move(message)});
    }
  }
  return findings;
}

}  // namespace prequel::style
