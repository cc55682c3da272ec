// Which class a label is, and which row has none.
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/encoding/target_encoder.h"
#include "gtest/gtest.h"
#include "tests/core/encoding/target_batches.h"

namespace prequel::target_classes_test {
namespace {

TEST(TargetClasses, IntegersAreClassesThemselves) {
  const TargetEncoder encoder = Classes({.num_classes = 10});
  TargetState state = encoder.Initial();
  EXPECT_TRUE(encoder.Labels(state).empty());
  EXPECT_EQ(Learn(encoder, WithTargets({{9, 0, 3}}), state), Eigen::RowVector3d(9, 0, 3));
  EXPECT_EQ(encoder.Labels(state).size(), 10U);
  EXPECT_EQ(encoder.Labels(state)[9], "9");
  EXPECT_TRUE(encoder.HasScale(state));
}

TEST(TargetClasses, TextTakesTheNextFreeClass) {
  const TargetEncoder encoder = Classes({.num_classes = 3, .allow_missing = true});
  TargetState state = encoder.Initial();
  EXPECT_EQ(Learn(encoder, WithLabels({"dog", "", "cat", "dog"}), state),
            Eigen::RowVector3d(0, 1, 0));
  EXPECT_EQ(encoder.Labels(state), (Labels{"dog", "cat"}));
  Learn(encoder, WithLabels({"7"}), state);
  const auto [kept, refused] = Select(encoder, WithLabels({"cat", "cow", "", "7"}), state);
  EXPECT_EQ(kept, (Rows{0, 3}));
  ASSERT_EQ(refused.count, 1);
  EXPECT_EQ(refused.first[0].row, 1);
  EXPECT_EQ(refused.first[0].label, "\"cow\"");
  EXPECT_EQ(refused.first[0].reason, "the model has 3 classes and knows \"dog\", \"cat\", \"7\"");
}

// The same minibatch brings the last label there is room for, and two more.
TEST(TargetClasses, NewLabelsTakeWhatRoomThereIs) {
  const TargetEncoder encoder = Classes({.num_classes = 2});
  TargetState state = encoder.Initial();
  const Batch batch = WithLabels({"c", "a", "b", "c", "d", "b"});
  const auto [kept, refused] = Select(encoder, batch, state);
  EXPECT_EQ(kept, (Rows{0, 1, 3}));
  EXPECT_EQ(refused.count, 3);
  EXPECT_EQ(refused.first[0].label, "\"b\"");
  EXPECT_EQ(refused.first[1].label, "\"d\"");
  encoder.Absorb(batch, kept, state);
  EXPECT_EQ(encoder.Labels(state), (Labels{"c", "a"}));
}

// However many rows are refused, and whatever their labels are.
TEST(TargetClasses, TenRefusedRowsAreNamedInFewBytes) {
  const TargetEncoder encoder = Classes({.num_classes = 2});
  TargetState state = encoder.Initial();
  constexpr std::size_t kRows = 1'000'000;
  Labels labels(kRows, "x");
  labels[0] = std::string(1024, '\1');
  labels[1] = "b";
  for (std::size_t i = 2; i < 20; ++i) labels[i] = std::string(1000 + i, '\xff');
  const auto [kept, refused] = Select(encoder, WithLabels(labels), state);
  EXPECT_EQ(kept, (Rows{0, 1}));
  EXPECT_EQ(refused.count, kRows - 2);
  ASSERT_EQ(refused.first.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(refused.first[i].row, static_cast<Index>(i + 2));
    EXPECT_LE(refused.first[i].label.size(), 200U);
    EXPECT_LE(refused.first[i].reason.size(), 300U);
  }
}

TEST(TargetClasses, AReasonListsTenLabelsAtMost) {
  Labels many;
  for (int i = 0; i < 1000; ++i) many.push_back("class " + std::to_string(i));
  const RefusedRows refused = Select(Classes({.labels = many}), WithLabels({"class 1000"})).refused;
  ASSERT_EQ(refused.count, 1);
  EXPECT_EQ(refused.first[0].reason.substr(0, 40), "classes are \"class 0\", \"class 1\", \"class");
  EXPECT_NE(refused.first[0].reason.find("\"class 9\", and 990 more"), std::string::npos);
}

// Numbers that were refused do not decide what classes are called.
TEST(TargetClasses, NothingIsLearnedOfRowsThatAreAllRefused) {
  const TargetEncoder encoder = Classes({.num_classes = 2});
  TargetState state = encoder.Initial();
  const Batch batch = WithTargets({{2, 0.5}});
  const auto [kept, refused] = Select(encoder, batch, state);
  EXPECT_TRUE(kept.empty());
  EXPECT_EQ(refused.count, 2);
  encoder.Absorb(batch, kept, state);
  EXPECT_TRUE(encoder.Labels(state).empty());
  EXPECT_EQ(Learn(encoder, WithLabels({"a"}), state), Matrix::Zero(1, 1));
}

struct NoClass {
  TargetConfig config;
  Batch batch;  // row 1 is refused, row 0 kept
  std::string label, reason;
};

void PrintTo(const NoClass& no_class, std::ostream* out) { *out << no_class.label; }

class LabelThatIsNoClass : public testing::TestWithParam<NoClass> {};

TEST_P(LabelThatIsNoClass, RefusesItsRowAlone) {
  const auto [kept, refused] = Select(Classes(GetParam().config), GetParam().batch);
  EXPECT_EQ(kept, Rows{0});
  ASSERT_EQ(refused.count, 1);
  ASSERT_EQ(refused.first.size(), 1U);
  EXPECT_EQ(refused.first[0].row, 1);
  EXPECT_EQ(refused.first[0].label, GetParam().label);
  EXPECT_EQ(refused.first[0].reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    TargetClasses, LabelThatIsNoClass,
    testing::Values(
        NoClass{{.num_classes = 10}, WithTargets({{1, 12}}), "12", "classes are 0..9"},
        NoClass{{.num_classes = 10}, WithTargets({{1, 10}}), "10", "classes are 0..9"},
        NoClass{{.num_classes = 10}, WithTargets({{0, -1}}), "-1", "classes are 0..9"},
        NoClass{{.num_classes = 10}, WithTargets({{9, 12345678}}), "12345678", "classes are 0..9"},
        NoClass{{.num_classes = 10}, WithTargets({{9, 1e300}}), "1e+300", "classes are 0..9"},
        NoClass{{.num_classes = 10},
                WithTargets({{1, 1.5}}),
                "1.5",
                "not a whole number: classes are 0..9"},
        NoClass{{.labels = {"0", "dog"}}, WithTargets({{0, 1}}), "1", "classes are \"0\", \"dog\""},
        NoClass{{.labels = {"cat", "dog"}},
                WithLabels({"cat", "cow"}),
                "\"cow\"",
                "classes are \"cat\", \"dog\""}));

TEST(TargetClasses, TextNamesIntegersThatCameFirst) {
  const TargetEncoder encoder = Classes({.num_classes = 3});
  TargetState state = encoder.Initial();
  Learn(encoder, WithTargets({{2}}), state);
  EXPECT_EQ(Learn(encoder, WithLabels({"2", "1.0", " 0", "true"}), state),
            Eigen::RowVector4d(2, 1, 0, 1));
  const auto [kept, refused] = Select(encoder, WithLabels({"1", "dog", "3", "02", "1.5"}), state);
  EXPECT_EQ(kept, Rows{0});
  EXPECT_EQ(refused.count, 4);
  EXPECT_EQ(refused.first[0].reason, "classes are 0..2");
  EXPECT_EQ(encoder.Labels(state), (Labels{"0", "1", "2"}));
}

TEST(TargetClasses, IntegersNameTextThatCameFirst) {
  const TargetEncoder encoder = Classes({.num_classes = 3});
  TargetState state = encoder.Initial();
  Learn(encoder, WithLabels({"7.0", "dog"}), state);
  EXPECT_EQ(Learn(encoder, WithTargets({{7, 5, 7}}), state), Eigen::RowVector3d(0, 2, 0));
  EXPECT_EQ(encoder.Labels(state), (Labels{"7.0", "dog", "5"}));
  const auto [kept, refused] = Select(encoder, WithTargets({{5, 0, 1.5}}), state);
  EXPECT_EQ(kept, Rows{0});
  ASSERT_EQ(refused.count, 2);
  EXPECT_EQ(refused.first[0].reason, "the model has 3 classes and knows \"7.0\", \"dog\", \"5\"");
}

TEST(TargetClasses, ALabelIsTheSameHoweverItIsSpelled) {
  const TargetEncoder configured = Classes({.labels = {"1.0", "a", "9007199254740993"}});
  TargetState state = configured.Initial();
  EXPECT_EQ(Learn(configured, WithLabels({"1", "+1", "1.0", "a ", " a"}), state),
            (Eigen::RowVector<double, 5>{0, 0, 0, 1, 1}));
  EXPECT_EQ(Select(configured, WithLabels({"9007199254740992", "A"})).refused.count, 2);
  const TargetEncoder truth = Classes({.labels = {"False", "True"}});
  state = truth.Initial();
  EXPECT_EQ(Learn(truth, WithTargets({{1, 0}}), state), Eigen::RowVector2d(1, 0));
  EXPECT_EQ(Learn(truth, WithLabels({"true", "FALSE", "1"}), state), Eigen::RowVector3d(1, 0, 1));
}

TEST(TargetClasses, ConfiguredLabelsAreMetByTextAndByInteger) {
  const TargetEncoder encoder = Classes({.labels = {"5", "-1", "007", "none"}});
  TargetState state = encoder.Initial();
  EXPECT_EQ(encoder.num_classes(), 4);
  EXPECT_EQ(Learn(encoder, WithTargets({{-1, 5}}), state), Eigen::RowVector2d(1, 0));
  EXPECT_EQ(Learn(encoder, WithLabels({"007", "none", "5"}), state), Eigen::RowVector3d(2, 3, 0));
  EXPECT_EQ(encoder.Labels(state), (Labels{"5", "-1", "007", "none"}));
  EXPECT_EQ(Select(encoder, WithTargets({{5, 7}})).kept, Rows{0}) << "\"007\" is not 7";
}

}  // namespace
}  // namespace prequel::target_classes_test
