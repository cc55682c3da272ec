#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/archive/stable_hash.h"
#include "core/encoding/encoder.h"

namespace prequel::hashed_categories_test {
namespace {

// The values that are met first have columns of their own, and all others share buckets.
TEST(Encoder, WhatHasNoSlotIsHashedWhereThereAreBuckets) {
  const Encoder encoder = *Encoder::Create({{.name = "city",
                                             .kind = FeatureConfig::Kind::kCategorical,
                                             .max_categories = 2,
                                             .hash_buckets = 5}},
                                           Standardize::kRunning);
  ASSERT_EQ(encoder.num_encoded(), 7);
  Batch batch;
  batch.text = {{"Rome", "Oslo", "Bonn", "Rome"}};
  EncoderState state = encoder.Initial();
  const auto bucket = [](const char* value) {
    return 2 + static_cast<Index>(StableHash(value) % 5);
  };
  Matrix out;
  InputDoubts doubts;
  EXPECT_EQ(encoder.Encode(state, batch, out, doubts), 0) << "there is room for every value";
  EXPECT_EQ(out(bucket("Rome"), 0), 1);
  encoder.Absorb(batch, state);
  EXPECT_EQ(encoder.Encode(state, batch, out, doubts), 0);
  Matrix expected = Matrix::Zero(7, 4);
  expected(0, 0) = expected(1, 1) = expected(0, 3) = 1;
  expected(bucket("Bonn"), 2) = 1;
  EXPECT_EQ(out, expected);
  const std::vector<std::string> names = {"city=Rome",     "city=Oslo",     "city bucket 0",
                                          "city bucket 1", "city bucket 2", "city bucket 3",
                                          "city bucket 4"};
  EXPECT_EQ(encoder.ColumnNames(state), names);
}

}  // namespace
}  // namespace prequel::hashed_categories_test
