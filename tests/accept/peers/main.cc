// prequel_peers FILE: what our rules come to on small made data, as JSON, for peers.py to compare
// with what others' come to. The data are in the file.
#include <cstdio>
#include <string>

#include "tests/accept/peers/json.h"
#include "tests/accept/peers/sections.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: prequel_peers FILE\n");
    return 2;
  }
  prequel::peers::Json json;
  prequel::peers::WriteKalman(json);
  prequel::peers::WriteNoise(json);
  prequel::peers::WriteDistributions(json);
  prequel::peers::WriteLaplace(json);
  prequel::peers::WriteIvon(json);
  const std::string text = json.Text();
  std::FILE* file = std::fopen(argv[1], "w");
  const bool written =
      file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file == nullptr || std::fclose(file) != 0 || !written) {
    std::fprintf(stderr, "prequel_peers: cannot write %s\n", argv[1]);
    return 2;
  }
  return 0;
}
