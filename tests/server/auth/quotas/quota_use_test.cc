#include "server/auth/quotas/quota_use.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/auth/quotas/quota_refusal.h"

namespace prequel::quota_use_test {
namespace {

// Whose quota refused, and which; empty: none did.
std::string Refused(const absl::Status& status) {
  const std::optional<QuotaRefusal> refusal = QuotaRefusalOf(status);
  return refusal ? refusal->owner + " " + refusal->quota : "";
}

class QuotaUseTest : public ::testing::Test {
 protected:
  QuotaUse Use() const { return {caller_, model_}; }
  std::string Take(QuotaUse& use, std::int64_t bytes, std::int64_t rows) const {
    return Refused(use.Take(of_caller_, of_model_, bytes, rows));
  }

  const std::shared_ptr<Meter> caller_ = std::make_shared<Meter>("me");
  const std::shared_ptr<Meter> model_ = std::make_shared<Meter>("models/m");
  Quotas of_caller_, of_model_;
};

TEST_F(QuotaUseTest, HoldsOfBothUntilItGoes) {
  of_caller_.bytes_in_flight = of_model_.bytes_in_flight = 100;
  {
    QuotaUse use = Use();
    EXPECT_EQ(Take(use, 60, 0), "");
    QuotaUse second = Use();
    EXPECT_EQ(Take(second, 60, 0), "me bytes_in_flight");
    const QuotaUse moved = std::move(use);
    EXPECT_FALSE(caller_->IsAsNew());
    EXPECT_FALSE(model_->IsAsNew());
  }
  EXPECT_TRUE(caller_->IsAsNew());
  EXPECT_TRUE(model_->IsAsNew());
}

// As a file comes that is longer than the quota, piece by piece.
TEST_F(QuotaUseTest, WhatComesInPiecesPassesWhenItIsAlone) {
  of_caller_.bytes_in_flight = of_model_.bytes_in_flight = 100;
  QuotaUse use = Use();
  EXPECT_EQ(Take(use, 60, 0), "");
  EXPECT_EQ(Take(use, 60, 0), "");
  QuotaUse second = Use();
  EXPECT_EQ(Take(second, 1, 0), "me bytes_in_flight");
  use = {};
  EXPECT_EQ(Take(second, 60, 0), "");
  QuotaUse third = Use();
  EXPECT_EQ(Take(third, 40, 0), "");
  EXPECT_EQ(Take(second, 60, 0), "me bytes_in_flight") << "it is not alone any more";
}

TEST_F(QuotaUseTest, WhatTheModelRefusesTheCallerGetsBackOnce) {
  of_caller_.bytes_in_flight = 100;
  of_model_.calls_in_flight = 1;
  QuotaUse first = Use();
  EXPECT_EQ(Take(first, 1, 0), "");
  for (int i = 0; i < 10; ++i) {
    QuotaUse second = Use();
    EXPECT_EQ(Take(second, 60, 0), "models/m calls_in_flight");
  }
  of_model_ = {};
  QuotaUse third = Use(), fourth = Use();
  EXPECT_EQ(Take(third, 99, 0), "");
  EXPECT_EQ(Take(fourth, 1, 0), "me bytes_in_flight");
}

TEST_F(QuotaUseTest, WhatTheModelRefusesTheCallerGetsBack) {
  of_caller_.rows_per_second = 10;
  of_model_.calls_in_flight = 1;
  QuotaUse first = Use();
  EXPECT_EQ(Take(first, 1, 1), "");
  for (int i = 0; i < 100; ++i) {
    QuotaUse second = Use();
    EXPECT_EQ(Take(second, 1, 9), "models/m calls_in_flight");
  }
  first = {};
  EXPECT_EQ(Take(first = Use(), 1, 9), "");
}

TEST_F(QuotaUseTest, WhatTheCallerIsRefusedTheModelDoesNotNotice) {
  of_caller_.bytes_in_flight = 10;
  of_model_.rows_per_second = 10;
  QuotaUse first = Use();
  EXPECT_EQ(Take(first, 10, 0), "");
  QuotaUse second = Use();
  EXPECT_EQ(Take(second, 1, 10), "me bytes_in_flight");
  first = {};
  EXPECT_EQ(Take(second, 1, 10), "");
}

TEST_F(QuotaUseTest, IsOneCallOfItsModel) {
  of_model_.calls_in_flight = 1;
  QuotaUse use = Use();
  EXPECT_EQ(Take(use, 1, 0), "");
  EXPECT_EQ(Take(use, 1, 0), "");
  QuotaUse second = Use();
  EXPECT_EQ(Take(second, 1, 0), "models/m calls_in_flight");
}

TEST_F(QuotaUseTest, OfNobodyIsRefusedNothing) {
  of_caller_ = of_model_ = {.calls_in_flight = 1, .bytes_in_flight = 1, .rows_per_second = 1};
  QuotaUse use;
  EXPECT_EQ(Take(use, 1000, 1000), "");
  EXPECT_EQ(Take(use, 1000, 1000), "");
}

}  // namespace
}  // namespace prequel::quota_use_test
