#include "tests/style/named_files.h"

#include <string>

#include "gtest/gtest.h"

namespace prequel::style::named_files_test {
namespace {

std::vector<Finding> Check(const std::string& line) {
  return CheckNamedFiles({{"core/rules/adam.cc", ""},
                          {"core/rules/adam.h", ""},
                          {"core/rules/rule.h", ""},
                          {"core/README.md", "\n" + line + "\n"}});
}

TEST(NamedFiles, AreThere) {
  for (const std::string path :
       {"`core/rules/adam.h`", "`rules/adam.{h,cc}`", "`rule.h`", "`core/rules/NAME.{h,cc}`",
        "`NAME.cc` and `rules/adNAME.h`", "`README.md`"}) {
    EXPECT_TRUE(Check(path).empty()) << path;
  }
  for (const std::string path : {"`core/rules/adams.h`", "`core/adam.h`", "`rule.{h,cc}`",
                                 "`core/NAME.h`", "`dam.h`", "see `rule.h` and `rules.h`"}) {
    const std::vector<Finding> findings = Check(path);
    ASSERT_EQ(findings.size(), 1U) << path;
    EXPECT_EQ(findings[0].line, 2);
  }
}

TEST(NamedFiles, OtherCodeIsNone) {
  EXPECT_TRUE(Check("`x.h y.h`, `#include <x.h>`, `*.cc`, `.h`, `data.csv`, x.h, `x.h").empty());
}

}  // namespace
}  // namespace prequel::style::named_files_test
