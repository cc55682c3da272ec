#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace prequel::style {

// A file as the rules see it. The path is relative to the repository's root, with '/'.
struct SourceFile {
  std::string path;
  std::string text;
};

// A broken rule. `line` counts from 1; 0 means the file as a whole.
struct Finding {
  std::string path;
  int line = 0;
  std::string message;
};

std::string Describe(const Finding& finding);  // "core/config/batch.h:12: message"

// All files we write ourselves, sorted by path. Build folders, hidden folders and third-party
// texts kept in the tree are left out.
std::vector<SourceFile> ReadTree(const std::filesystem::path& root);

// The lines of `text` without their newlines.
std::vector<std::string_view> Lines(std::string_view text);

std::string_view Extension(std::string_view path);  // ".cc"; empty when there is none

bool IsCpp(std::string_view path);   // .h and .cc
bool IsCode(std::string_view path);  // whatever a person reads as a program

bool IsSpace(char c);
bool IsWordChar(char c);  // of a name in C++

// `cpp` with comments, string and character literals blanked out, byte for byte and line for line,
// so that what remains may be searched for braces and words.
std::string BlankCommentsAndLiterals(std::string_view cpp);

}  // namespace prequel::style
