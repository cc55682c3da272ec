#include "tests/end_to_end/damage.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace prequel {
namespace {

std::vector<std::filesystem::path> FilesOf(const std::string& directory,
                                           const std::string& extension) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  return files;
}

std::string ContentOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

bool LoseWriteAheadLog(const std::string& directory) {
  bool lost = false;
  for (const std::filesystem::path& file : FilesOf(directory, ".log")) {
    lost = std::filesystem::file_size(file) > 0 || lost;
    std::filesystem::remove(file);
  }
  return lost;
}

bool FlipBitIn(const std::string& directory, const std::string& bytes) {
  for (const std::filesystem::path& path : FilesOf(directory, ".blob")) {
    const std::size_t at = ContentOf(path).find(bytes);
    if (at == std::string::npos) continue;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(bytes.front() ^ 1));
    return file.good();
  }
  return false;
}

}  // namespace prequel
