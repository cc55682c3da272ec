// docs/parts.md says what the parts say of themselves. PREQUEL_WRITE_DOCS=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "client/cli/parts/part_text.h"
#include "server/wire/parts.h"

namespace prequel::parts_document_test {
namespace {

constexpr char kBegin[] = "<!-- `prequel parts --markdown` from here -->\n";
constexpr char kEnd[] = "<!-- to here -->\n";

std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(PartsDocument, IsInStep) {
  v1::ListPartsResponse parts;
  wire::PartsToProto(&parts);
  const std::string text = ReadAll(PREQUEL_PARTS_DOCUMENT);
  const std::size_t begin = text.find(kBegin), end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::string expected =
      text.substr(0, begin) + kBegin + "\n" + cli::PartsMarkdown(parts) + "\n" + text.substr(end);
  if (std::getenv("PREQUEL_WRITE_DOCS") != nullptr) {
    std::ofstream(PREQUEL_PARTS_DOCUMENT) << expected;
  }
  EXPECT_TRUE(text == expected) << "write it anew: PREQUEL_WRITE_DOCS=1 ./dev test end_to_end -R "
                                   "PartsDocument";
}

}  // namespace
}  // namespace prequel::parts_document_test
