#include "client/cli/output/learn_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/call_error.h"
#include "client/cli/output/proto_json.h"
#include "google/protobuf/struct.pb.h"
#include "google/rpc/error_details.pb.h"
#include "tests/client/named_numbers.h"

namespace prequel::cli::learn_report_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::Scores Scores(double nll, double accuracy) {
  v1::Scores scores;
  scores.set_examples(10);
  AddScore(scores, "nll", nll);
  AddScore(scores, "accuracy", accuracy);
  return scores;
}

v1::StepReport Step(std::int64_t rows, std::int64_t skipped = 0) {
  v1::StepReport step;
  step.set_rows(rows);
  step.set_skipped_rows(skipped);
  return step;
}

TEST(LearnReportTest, TheTableGrowsEveryFewMinibatches) {
  LearnReport report("models/m", 2);
  EXPECT_EQ(report.Learned({1, 10, 2}, 1, Scores(1, 0.5), Step(10)), "");
  EXPECT_EQ(report.Learned({2, 10, 12}, 2, Scores(0.5, 0.7), Step(10)),
            " minibatch        rows         nll      last 2    accuracy      last 2\n"
            "         2          20      0.7500      0.7500      0.6000      0.6000\n");
  EXPECT_EQ(report.Learned({3, 10, 22}, 3, Scores(0.1, 1), Step(10)), "");
  EXPECT_EQ(report.Learned({4, 10, 32}, 4, Scores(0.1, 1), Step(10)),
            "         4          40      0.4250      0.1000      0.8000      1.0000\n");
}

TEST(LearnReportTest, TotalsCountEverything) {
  LearnReport report("models/m", 0);
  report.Learned({1, 10, 2}, 1, Scores(1, 0.5), Step(7, 3));
  report.Refused({2, 10, 12}, absl::InvalidArgumentError("row 3 is odd"));
  const std::string totals = report.Totals();
  EXPECT_THAT(totals, HasSubstr("7 rows in 1 minibatch, "));
  EXPECT_THAT(totals, HasSubstr("3 rows without a target"));
  EXPECT_THAT(totals, HasSubstr("1 minibatch\n"));
  EXPECT_THAT(totals, HasSubstr("minibatch 2 (line 12 on): row 3 is odd"));
  EXPECT_THAT(totals, Not(HasSubstr("--skip")));
  EXPECT_THAT(report.Progress(), HasSubstr("20 rows"));
  EXPECT_THAT(report.Progress(), HasSubstr("nll 1.0000, 1 refused"));
  EXPECT_EQ(report.refused(), 1);
}

TEST(LearnReportTest, SaysThePhaseOfARuleThatHasPhases) {
  LearnReport report("models/m", 0);
  report.Learned({1, 10, 2}, 1, Scores(1, 0.5), Step(10));
  EXPECT_THAT(report.Totals(), Not(HasSubstr("phase")));
  for (const char* phase : {"map", "curvature"}) {
    v1::StepReport step = Step(10);
    step.set_phase(phase);
    report.Learned({2, 10, 12}, 2, Scores(1, 0.5), step);
  }
  EXPECT_THAT(report.Totals(), HasSubstr("phase     curvature\n"));
  EXPECT_THAT(report.Json(absl::OkStatus()), HasSubstr("\"phase\": \"curvature\""));
}

TEST(LearnReportTest, CountsUnseenCategories) {
  LearnReport report("models/m", 0);
  report.Learned({1, 10, 2}, 1, Scores(1, 0.5), Step(10));
  EXPECT_THAT(report.Totals(), Not(HasSubstr("unseen")));
  for (std::int64_t i = 0; i < 2; ++i) {
    v1::StepReport step = Step(10);
    step.set_unseen_categories(3);
    report.Learned({2 + i, 10, 12}, 2 + i, Scores(1, 0.5), step);
  }
  EXPECT_THAT(report.Totals(), HasSubstr("unseen    6 values of a category that was new"));
  EXPECT_THAT(report.Json(absl::OkStatus()), HasSubstr("\"unseen_categories\": 6"));
}

TEST(LearnReportTest, SaysWhereARuleCountsFewerRowsThanWereLearned) {
  v1::Model model;
  model.set_name("models/m");
  v1::GetEvaluationResponse evaluation;
  const auto totals = [&](double examples) {
    LearnReport report("models/m", 0);
    evaluation.mutable_cumulative()->set_examples(examples);
    report.Evaluated(model, evaluation);
    return report.Totals();
  };
  EXPECT_THAT(totals(1e9), Not(HasSubstr("note")));
  auto& options = *model.mutable_config()->mutable_rule()->mutable_options()->mutable_fields();
  options["dataset_size"].set_number_value(1000);
  EXPECT_THAT(totals(1000), Not(HasSubstr("note")));
  EXPECT_THAT(totals(3000), HasSubstr("note: models/m has learned 3,000 rows as new ones, and "
                                      "counts them as 1,000 (rule.dataset_size)"));
}

TEST(LearnReportTest, ManyRefusalsAreCut) {
  LearnReport report("models/m", 0);
  for (std::int64_t i = 0; i < 8; ++i) report.Refused({i + 1, 1, i}, absl::InternalError("odd"));
  EXPECT_THAT(report.Totals(), HasSubstr("… and 3 more"));
  EXPECT_THAT(report.Totals(), Not(HasSubstr("minibatch 6 ")));
}

TEST(LearnReportTest, ARowThatWasRefusedIsNamedByItsLine) {
  const auto totals = [](const std::string& field) {
    google::rpc::Status error;
    error.set_code(3);
    error.set_message(field + ": odd");
    google::rpc::BadRequest bad_request;
    bad_request.add_field_violations()->set_field(field);
    error.add_details()->PackFrom(bad_request);
    LearnReport report("models/m", 0);
    report.Refused({1, 3, 2, {2, 4, 7}}, client::StatusFromProto(error));
    return report.Totals();
  };
  for (const char* field : {"batch.labels[2]", "batch.inputs[2,0]", "batch.text[0].values[2]"}) {
    EXPECT_THAT(totals(field), HasSubstr(std::string("minibatch 1, line 7: ") + field)) << field;
  }
  for (const char* field : {"batch.labels[3]", "batch.text[1]", "batch.labels", "config.x[1]"}) {
    EXPECT_THAT(totals(field), HasSubstr("minibatch 1 (line 2 on): ")) << field;
  }
}

v1::StepReport StepRefusing(std::int64_t rows, const std::vector<std::int64_t>& named) {
  v1::StepReport step = Step(3);
  step.set_refused_rows(rows);
  for (const std::int64_t row : named) {
    v1::RefusedRow* refused = step.add_first_refused_rows();
    refused->set_row(row);
    refused->set_label("\"cow\"");
    refused->set_reason("classes are \"cat\", \"dog\"");
  }
  return step;
}

TEST(LearnReportTest, RefusedRowsAreNamedByTheirLines) {
  LearnReport report("models/m", 0);
  report.Learned({1, 5, 2, {2, 3, 4, 8, 9}}, 1, Scores(1, 0.5), Step(5));
  EXPECT_THAT(report.Totals(), Not(HasSubstr("refused")));
  EXPECT_EQ(report.refused_rows(), 0);
  report.Learned({2, 5, 10, {10, 12, 13, 14, 15}}, 2, Scores(1, 0.5), StepRefusing(2, {1, 4}));
  EXPECT_THAT(report.Totals(), HasSubstr("8 rows in 2 minibatches"));
  EXPECT_THAT(report.Totals(),
              HasSubstr("2 rows refused, whose label is no class\n"
                        "  line 12: label \"cow\": classes are \"cat\", \"dog\"\n"
                        "  line 15: label \"cow\": classes are \"cat\", \"dog\"\n"));
  EXPECT_THAT(report.Totals(), Not(HasSubstr("more")));
  EXPECT_THAT(report.Progress(), HasSubstr(", 2 rows refused"));
  report.Learned({3, 5, 16}, 3, Scores(1, 0.5), StepRefusing(1, {0}));
  EXPECT_THAT(report.Totals(), HasSubstr("  minibatch 3: label \"cow\"")) << "no line is known";
  report.Learned({4, 5, 21}, 4, Scores(1, 0.5), StepRefusing(1'000, {0, 1, 2, 3, -1, 9}));
  EXPECT_THAT(report.Totals(), HasSubstr("1,003 rows refused"));
  EXPECT_THAT(report.Totals(), HasSubstr("  … and 998 more\n"));
  EXPECT_EQ(report.refused_rows(), 1'003);
  EXPECT_EQ(report.refused(), 0) << "minibatches";

  google::protobuf::Struct parsed;
  const std::string json = report.Json(absl::OkStatus());
  ASSERT_TRUE(FromJson(json, &parsed).ok()) << json;
  EXPECT_EQ(parsed.fields().at("refused_rows").number_value(), 1'003);
  const auto& rows = parsed.fields().at("first_refused_rows").list_value();
  ASSERT_EQ(rows.values_size(), 9);
  const auto& first = rows.values(0).struct_value().fields();
  EXPECT_EQ(first.at("minibatch").number_value(), 2) << "counted from 1";
  EXPECT_EQ(first.at("line").number_value(), 12);
  EXPECT_EQ(first.at("label").string_value(), "\"cow\"");
  EXPECT_FALSE(rows.values(2).struct_value().fields().contains("line"));
}

TEST(LearnReportTest, AThousandRefusalsAreKept) {
  LearnReport report("models/m", 0);
  for (std::int64_t i = 1; i <= 1500; ++i) report.Refused({i, 1, i}, absl::InternalError("odd"));
  EXPECT_EQ(report.refused(), 1500);
  EXPECT_THAT(report.Totals(), HasSubstr("… and 1495 more"));
  const std::string json = report.Json(absl::OkStatus());
  EXPECT_THAT(json, HasSubstr("\"refused_minibatches\": 1500"));
  EXPECT_THAT(json, HasSubstr("\"minibatch\": 1000"));
  EXPECT_THAT(json, Not(HasSubstr("\"minibatch\": 1001")));
}

TEST(LearnReportTest, AnInterruptedRunSaysHowToGoOn) {
  LearnReport report("models/m", 0);
  report.Learned({1, 10, 2}, 1, Scores(1, 0.5), Step(7, 3));
  report.Interrupted();
  EXPECT_THAT(report.Totals(), HasSubstr("--skip 10"));
}

TEST(LearnReportTest, JsonHoldsItAll) {
  LearnReport report("models/m", 1);
  report.Learned({1, 10, 2}, 1, Scores(1, 0.5), Step(10));
  report.Refused({2, 10, 12}, absl::InvalidArgumentError("row 3 is odd"));
  google::protobuf::Struct parsed;
  const std::string json = report.Json(absl::UnavailableError("gone"));
  ASSERT_TRUE(FromJson(json, &parsed).ok()) << json;
  const auto& fields = parsed.fields();
  EXPECT_EQ(fields.at("rows").number_value(), 10);
  EXPECT_EQ(fields.at("answered_rows").number_value(), 20);
  EXPECT_EQ(fields.at("scores").struct_value().fields().at("nll").number_value(), 1);
  ASSERT_EQ(fields.at("refused").list_value().values_size(), 1);
  const auto& refused = fields.at("refused").list_value().values(0).struct_value().fields();
  EXPECT_EQ(refused.at("minibatch").number_value(), 2) << "counted from 1";
  EXPECT_EQ(fields.at("table").list_value().values_size(), 1);
  EXPECT_EQ(fields.at("error").string_value(), "gone");
}

}  // namespace
}  // namespace prequel::cli::learn_report_test
