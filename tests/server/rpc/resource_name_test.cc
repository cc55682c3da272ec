#include "server/rpc/resource_name.h"

#include <gtest/gtest.h>

#include "server/rpc/models/page_token.h"
#include "server/wire/error_message.h"

namespace prequel::resource_name_test {
namespace {

TEST(ResourceNameTest, OnlyModelsHaveNames) {
  EXPECT_EQ(*ModelIdOf("models/moons"), "moons");
  EXPECT_EQ(ModelNameOf("moons"), "models/moons");
  for (const char* name : {"", "moons", "models/", "models/a/b", "Models/a", "/models/a"}) {
    EXPECT_EQ(FieldOf(ModelIdOf(name).status()), "name") << name;
  }
}

TEST(ResourceNameTest, ABadOneIsQuoted) {
  EXPECT_EQ(ModelIdOf("Moon\nShot").status().message(),
            "name: must be models/{model}, got \"Moon\\nShot\"");
  EXPECT_EQ(ModelIdOf(std::string(10'000, 'x')).status().message(),
            "name: must be models/{model}, got \"" + std::string(40, 'x') + "…\"");
}

TEST(PageTokenTest, GoesThereAndBack) {
  EXPECT_EQ(*NameBeforePage(""), "");
  EXPECT_EQ(*NameBeforePage(PageTokenAfter("moons")), "moons");
  for (const char* token : {"moons", "!!", "MjphYmM"}) {  // the last is "2:abc"
    EXPECT_EQ(FieldOf(NameBeforePage(token).status()), "page_token") << token;
  }
}

}  // namespace
}  // namespace prequel::resource_name_test
