#include "server/auth/quotas/model_meters.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "server/auth/quotas/quota_refusal.h"

namespace prequel::model_meters_test {
namespace {

using std::chrono::seconds;

class ModelMetersTest : public ::testing::Test {
 protected:
  // Enough that all the others are looked over.
  void Crowd() {
    for (int i = 0; i < 1000; ++i) {
      const std::string name = "crowd-" + std::to_string(i);
      existing_.insert(name);
      EXPECT_NE(meters_.Of(name, now_), nullptr);
    }
  }

  std::set<std::string, std::less<>> existing_ = {"a", "b"};
  ModelMeters meters_{[this](std::string_view model) { return existing_.contains(model); }};
  Meter::Clock::time_point now_;
  const Quotas quotas_{.rows_per_second = 1};
};

TEST_F(ModelMetersTest, EachModelHasItsOwn) {
  const std::shared_ptr<Meter> a = meters_.Of("a");
  EXPECT_EQ(meters_.Of("a"), a);
  EXPECT_NE(meters_.Of("b"), a);
  EXPECT_TRUE(a->Take(quotas_, {.rows = 1}, {}, now_).ok());
  const absl::Status refused = a->Take(quotas_, {.rows = 1}, {}, now_);
  ASSERT_TRUE(QuotaRefusalOf(refused).has_value());
  EXPECT_EQ(QuotaRefusalOf(refused)->owner, "models/a");
  EXPECT_TRUE(meters_.Of("b")->Take(quotas_, {.rows = 1}, {}, now_).ok());
}

TEST_F(ModelMetersTest, WhatDoesNotExistTakesNoMemory) {
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(meters_.Of("no-" + std::to_string(i)), nullptr);
  EXPECT_EQ(meters_.size(), 0U);
}

TEST_F(ModelMetersTest, IdleOnesAreForgotten) {
  meters_.Of("a", now_);
  Crowd();
  EXPECT_LE(meters_.size(), 64U);
}

TEST_F(ModelMetersTest, WhoeverOwesIsRemembered) {
  EXPECT_TRUE(meters_.Of("a", now_)->Take(quotas_, {.rows = 60}, {}, now_).ok());
  Crowd();
  EXPECT_FALSE(meters_.Of("a", now_)->Take(quotas_, {.rows = 1}, {}, now_).ok());
  now_ += seconds(61);
  EXPECT_TRUE(meters_.Of("a", now_)->Take(quotas_, {.rows = 1}, {}, now_).ok());
}

TEST_F(ModelMetersTest, WhatIsInUseIsRemembered) {
  const std::shared_ptr<Meter> held = meters_.Of("a", now_);
  existing_.erase("a");
  Crowd();
  EXPECT_EQ(meters_.Of("a", now_), held);
}

// Whoever makes models, uses them up and deletes them would fill the memory otherwise.
TEST_F(ModelMetersTest, OfWhatIsNoMoreNothingIsOwed) {
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "brief-" + std::to_string(i);
    existing_.insert(name);
    EXPECT_TRUE(meters_.Of(name, now_)->Take(quotas_, {.rows = 1'000'000}, {}, now_).ok());
    existing_.erase(name);
  }
  EXPECT_LE(meters_.size(), 64U);
}

}  // namespace
}  // namespace prequel::model_meters_test
