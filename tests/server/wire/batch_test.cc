#include "server/wire/batch_message.h"

#include <gtest/gtest.h>

#include <string>

#include "core/config/field_error.h"

namespace prequel::wire::batch_test {
namespace {

void SetTensor(int rows, int columns, v1::Tensor* tensor) {
  tensor->add_shape(rows);
  tensor->add_shape(columns);
  for (int i = 0; i < rows * columns; ++i) tensor->add_values(i);
}

v1::Batch SmallBatch() {
  v1::Batch proto;
  SetTensor(2, 3, proto.mutable_inputs());
  SetTensor(2, 1, proto.mutable_targets());
  for (const char* value : {"a", ""}) proto.add_text()->add_values(value);
  return proto;
}

std::string FieldRefused(const v1::Batch& proto, Index max_rows) {
  const absl::StatusOr<Batch> batch = BatchFromProto(proto, max_rows);
  return batch.ok() ? "accepted" : FieldOf(batch.status()).value_or("no field");
}

TEST(BatchTest, TakesEveryPart) {
  v1::Batch proto = SmallBatch();
  proto.add_labels("yes");
  proto.mutable_times()->add_shape(2);
  for (const double time : {1.5, 7.0}) proto.mutable_times()->add_values(time);
  const absl::StatusOr<Batch> batch = BatchFromProto(proto, 10);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->inputs, (Matrix(3, 2) << 0, 3, 1, 4, 2, 5).finished());
  EXPECT_EQ(batch->targets, (Matrix(1, 2) << 0, 1).finished());
  EXPECT_EQ(batch->text, (std::vector<std::vector<std::string>>{{"a"}, {""}}));
  EXPECT_EQ(batch->labels, std::vector<std::string>{"yes"});
  EXPECT_EQ(batch->times, Eigen::Vector2d(1.5, 7));
}

TEST(BatchTest, AbsentPartsAreEmpty) {
  const absl::StatusOr<Batch> batch = BatchFromProto(v1::Batch(), 10);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->rows(), 0);
  EXPECT_EQ(batch->targets.size(), 0);
  EXPECT_EQ(batch->times.size(), 0);
}

TEST(BatchTest, TimesAndWeightsAreOneForEachRow) {
  struct Part {
    const char* field;
    v1::Tensor* (v1::Batch::*mutable_tensor)();
  };
  for (const Part part : {Part{"batch.times.shape", &v1::Batch::mutable_times},
                          Part{"batch.weights.shape", &v1::Batch::mutable_weights}}) {
    v1::Batch proto;
    SetTensor(3, 1, (proto.*part.mutable_tensor)());
    EXPECT_EQ(FieldRefused(proto, 10), "accepted");
    EXPECT_EQ(FieldRefused(proto, 2), part.field);
    proto.Clear();
    SetTensor(3, 2, (proto.*part.mutable_tensor)());
    EXPECT_EQ(FieldRefused(proto, 10), part.field);
  }
}

TEST(BatchTest, EveryPartHasBoundedRows) {
  EXPECT_EQ(FieldRefused(SmallBatch(), 1), "batch.inputs.shape");
  v1::Batch targets;
  SetTensor(2, 1, targets.mutable_targets());
  EXPECT_EQ(FieldRefused(targets, 1), "batch.targets.shape");
  v1::Batch text;
  text.add_text();
  for (int i = 0; i < 2; ++i) text.add_text()->add_values("a");
  for (int i = 0; i < 2; ++i) text.mutable_text(1)->add_values("a");
  EXPECT_EQ(FieldRefused(text, 2), "batch.text[1]");
  v1::Batch labels;
  for (int i = 0; i < 2; ++i) labels.add_labels("a");
  EXPECT_EQ(FieldRefused(labels, 1), "batch.labels");
}

TEST(BatchTest, NamesTheTensorThatIsWrong) {
  v1::Batch proto = SmallBatch();
  proto.mutable_targets()->clear_shape();
  EXPECT_EQ(FieldRefused(proto, 10), "batch.targets.shape");
  proto = SmallBatch();
  proto.mutable_inputs()->clear_values();
  proto.mutable_inputs()->set_dtype(v1::Tensor::DTYPE_FLOAT32);
  EXPECT_EQ(FieldRefused(proto, 10), "batch.inputs.data");
}

TEST(BatchTest, ReadsWhatTheLogKeeps) {
  const v1::Batch proto = SmallBatch();
  const absl::StatusOr<Batch> batch = BatchFromBytes(proto.SerializeAsString());
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->inputs, BatchFromProto(proto, 10)->inputs);
  EXPECT_TRUE(absl::IsDataLoss(BatchFromBytes("\x0a\xff").status()));
}

}  // namespace
}  // namespace prequel::wire::batch_test
