// The program itself, against a fake server: what scripts see of it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/output/proto_json.h"
#include "client/make_tensor.h"
#include "google/protobuf/struct.pb.h"
#include "google/rpc/error_details.pb.h"
#include "tests/client/cli/program_fixture.h"

namespace prequel::cli::program_test {
namespace {

using client::TemporaryFile;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(ProgramTest, HelpDocumentsTheExitCodes) {
  const Outcome help = Run("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("Exit codes:"));
}

TEST_F(ProgramTest, UsageErrors) {
  EXPECT_EQ(Run("").exit_code, 2);
  EXPECT_EQ(Run("learn m").exit_code, 2);  // no --csv
  EXPECT_EQ(Run("create m").exit_code, 2);
  const Outcome misspelt = Run("lern m");
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("did you mean 'learn'?"));
  const Outcome far = Run("frobnicate m");
  EXPECT_EQ(far.exit_code, 2);
  EXPECT_THAT(far.err, Not(HasSubstr("did you mean")));
  const Outcome none = Run("learn m --csv x.csv --batch 0");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.err,
            "prequel: --batch: must be a number from 1 on, is '0'; see `prequel learn --help`\n");
}

TEST_F(ProgramTest, ATargetThatNobodyNamed) {
  server_.behaviour().models[0].mutable_config()->mutable_target()->clear_name();
  const TemporaryFile csv(Csv(1));
  const Outcome learn = Run("learn m --csv " + csv.path());
  EXPECT_EQ(learn.exit_code, 4);
  EXPECT_THAT(learn.err, HasSubstr("names no target: say which column, with --target"));
  const Outcome named = Run("learn m --target y --csv " + csv.path());
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_THAT(named.out, HasSubstr("1 row in 1 minibatch, "));
}

TEST_F(ProgramTest, NoServer) {
  server_.Vanish();
  for (const char* url : {"http://127.0.0.1:8081", "grpc://127.0.0.1:8081"}) {
    const Outcome refused = Run(std::string("list --server ") + url);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("give HOST:PORT of the gRPC port, not a URL"));
  }
  const Outcome list = Run("list");
  EXPECT_EQ(list.exit_code, 3);
  EXPECT_THAT(list.err, StartsWith("prequel: no answer from 127.0.0.1:"));
  EXPECT_EQ(list.out, "");
}

TEST_F(ProgramTest, RefusalsBearTheServersReason) {
  const Outcome describe = Run("describe nobody");
  EXPECT_EQ(describe.exit_code, 1);
  EXPECT_THAT(describe.err, HasSubstr("no models/nobody; `prequel list` shows"));
}

TEST_F(ProgramTest, ListAndDescribe) {
  EXPECT_THAT(Run("list").out, HasSubstr("models/m"));
  EXPECT_THAT(Run("describe m").out, HasSubstr("name         models/m\n"));
  google::protobuf::Struct parsed;
  EXPECT_TRUE(FromJson(Run("list --json").out, &parsed).ok());
  EXPECT_TRUE(FromJson(Run("describe m --json").out, &parsed).ok());
  EXPECT_TRUE(FromJson(Run("eval m --json").out, &parsed).ok());
  EXPECT_TRUE(FromJson(Run("eval m n --json").out, &parsed).ok());
  EXPECT_TRUE(parsed.fields().at("models/n").struct_value().fields().contains("cumulative"));
  EXPECT_THAT(Run("eval m n").out, AllOf(HasSubstr("models/m  models/n"), HasSubstr("accuracy")));
  EXPECT_TRUE(FromJson(Run("health --json").out, &parsed).ok());
}

TEST_F(ProgramTest, Learn) {
  const TemporaryFile csv(Csv(100));
  const Outcome learn = Run("learn m --csv " + csv.path() + " --batch 30");
  EXPECT_EQ(learn.exit_code, 0) << learn.err;
  EXPECT_THAT(learn.out, HasSubstr("100 rows in 4 minibatches"));
  EXPECT_EQ(learn.err, "");  // no progress line without a terminal
  EXPECT_EQ(server_.received(), 4);
  EXPECT_FALSE(server_.last_stream_request().batch().learned_before());
  EXPECT_EQ(Run("learn m --learned-before --batch 30 --csv " + csv.path()).exit_code, 0);
  EXPECT_TRUE(server_.last_stream_request().batch().learned_before());
  EXPECT_EQ(server_.received(), 8);
}

TEST_F(ProgramTest, LearnFromStandardInput) {
  const TemporaryFile csv(Csv(10));
  EXPECT_EQ(Run("learn m --csv - <" + csv.path()).exit_code, 0);
  EXPECT_EQ(server_.received(), 1);
}

TEST_F(ProgramTest, LearnReportsRefusedMinibatches) {
  server_.behaviour().refused = {1};
  const TemporaryFile csv(Csv(50));
  const Outcome learn = Run("learn m --json --csv " + csv.path() + " --batch 10");
  EXPECT_EQ(learn.exit_code, 5);
  google::protobuf::Struct parsed;
  ASSERT_TRUE(FromJson(learn.out, &parsed).ok()) << learn.out;
  EXPECT_EQ(parsed.fields().at("rows").number_value(), 40);
  const auto& refused = parsed.fields().at("refused").list_value().values(0).struct_value();
  EXPECT_EQ(refused.fields().at("first_line").number_value(), 12);
}

TEST_F(ProgramTest, LearnStopsAtBadDataAndSaysWhatWasLearned) {
  const TemporaryFile csv("x,y\n1,1\n2,1\n3\n");
  const Outcome learn = Run("learn m --batch 1 --csv " + csv.path());
  EXPECT_EQ(learn.exit_code, 4);
  EXPECT_THAT(learn.err, HasSubstr("line 4: expected 2 cells as in the header, found 1"));
  EXPECT_THAT(learn.out, HasSubstr("2 rows in 2 minibatches"));
  EXPECT_EQ(Run("learn m --csv /nonexistent.csv").exit_code, 4);
}

TEST_F(ProgramTest, CsvFilesThatCannotBeLearned) {
  struct Case {
    const char* csv;
    const char* says;
  };
  for (const auto& [csv, says] :
       {Case{"", "is empty"}, Case{"xx,y\n1,2\n", "'x'"}, Case{"x,z\n1,2\n", "'y'"},
        Case{"x,y\n1,2,3\n", "line 2: expected 2 cells"}, Case{"x,y\n1,2\n1,\"2\n", "line 3"}}) {
    const TemporaryFile file(csv);
    const Outcome learn = Run("learn m --csv " + file.path());
    EXPECT_EQ(learn.exit_code, 4) << csv;
    EXPECT_THAT(learn.err, HasSubstr(says)) << csv;
    EXPECT_THAT(learn.err, HasSubstr(file.path())) << csv;
  }
  EXPECT_EQ(server_.received(), 0) << "nothing of these may be sent";
}

TEST_F(ProgramTest, CsvFilesThatCannotBePredicted) {
  for (const char* csv : {"", "y\n1\n", "x\nhigh\n"}) {
    const TemporaryFile file(csv);
    const Outcome predict = Run("predict m --csv " + file.path());
    EXPECT_EQ(predict.exit_code, 4) << csv;
    EXPECT_THAT(predict.err, HasSubstr(file.path())) << csv;
  }
}

TEST_F(ProgramTest, LearnGoesOnBehindWhatWasSentBefore) {
  server_.behaviour().next_sequence = 3;
  const TemporaryFile csv(Csv(100));
  const std::string command = "learn m --batch 30 --csv " + csv.path();
  const Outcome learn = Run(command);
  EXPECT_EQ(learn.exit_code, 0) << learn.err;
  EXPECT_THAT(learn.out, HasSubstr("behind 60 rows sent before as csv-"));
  EXPECT_THAT(learn.out, HasSubstr("40 rows in 2 minibatches"));
  EXPECT_EQ(server_.last_stream_request().sequence(), 4);
  const std::string producer = server_.first_stream_request().producer();
  EXPECT_EQ(Run(command).exit_code, 0);
  EXPECT_EQ(server_.first_stream_request().producer(), producer) << "the same run again";
  for (const std::string& other :
       {command + " --skip 1", command + " --limit 9", command + " --again",
        "learn m --batch 31 --csv " + csv.path(), "learn m --batch 30 --csv - <" + csv.path()}) {
    EXPECT_EQ(Run(other).exit_code, 0);
    EXPECT_NE(server_.first_stream_request().producer(), producer) << other;
  }
  EXPECT_EQ(Run(command + " --producer me").exit_code, 0);
  EXPECT_EQ(server_.first_stream_request().producer(), "me");
  EXPECT_EQ(Run("learn m --predict-first --batch 30 --csv " + csv.path()).exit_code, 0);
  EXPECT_EQ(server_.last_predict_then_learn().sequence(), 4);
}

TEST_F(ProgramTest, LearnPredictFirst) {
  const TemporaryFile csv(Csv(60)), predictions;
  const Outcome learn =
      Run("learn m --predict-first --batch 1 --csv " + csv.path() + " -o " + predictions.path());
  EXPECT_EQ(learn.exit_code, 0) << learn.err;
  EXPECT_THAT(learn.out, StartsWith(" minibatch        rows         nll     last 30"));
  const std::string written = Content(predictions.path());
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 61);
}

TEST_F(ProgramTest, PredictFirstLeavesOutWhatWasLearnedAsTheConnectionWasLost) {
  server_.behaviour().repeated_revision = 2;
  const TemporaryFile csv(Csv(60)), predictions;
  const Outcome learn =
      Run("learn m --predict-first --batch 20 --csv " + csv.path() + " -o " + predictions.path());
  EXPECT_EQ(learn.exit_code, 0) << learn.err;
  EXPECT_THAT(learn.out, HasSubstr("60 rows in 3 minibatches"));
  EXPECT_THAT(learn.err, HasSubstr("predictions of 20 rows from line 22 on"));
  const std::string written = Content(predictions.path());
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 41);
}

TEST_F(ProgramTest, ControlCStopsCleanly) {
  server_.behaviour().hold_answers = true;
  server_.Release(2);
  const TemporaryFile csv;
  const std::string rows = Csv(40);
  // The pipe stays open after the rows: without the signal the program would wait for more.
  const std::string fifo = csv.path() + ".fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int writer = open(fifo.c_str(), O_RDWR);
  ASSERT_EQ(write(writer, rows.data(), rows.size()), static_cast<ssize_t>(rows.size()));
  const pid_t pid = Start("learn m --batch 10 --csv " + fifo);
  ASSERT_TRUE(server_.AwaitReceived(3));
  kill(pid, SIGINT);
  server_.Release(100);
  const Outcome learn = Wait(pid);
  close(writer);
  unlink(fifo.c_str());
  EXPECT_EQ(learn.exit_code, 130) << learn.err;
  EXPECT_THAT(learn.out, HasSubstr("rows in"));
  EXPECT_THAT(learn.out, HasSubstr("stopped; go on later with --skip"));
}

TEST_F(ProgramTest, AServerThatVanishesWhileLearning) {
  server_.behaviour().hold_answers = true;
  server_.Release(2);
  const TemporaryFile csv(Csv(100));
  const pid_t pid = Start("learn m --retry 0 --batch 10 --in-flight 3 --csv " + csv.path());
  ASSERT_TRUE(server_.AwaitReceived(3));
  server_.Vanish();
  const Outcome learn = Wait(pid);
  EXPECT_EQ(learn.exit_code, 3);
  EXPECT_THAT(learn.out, HasSubstr("20 rows in 2 minibatches"));
}

TEST_F(ProgramTest, Predict) {
  const TemporaryFile csv("x\n1\n2\n3\n");
  const Outcome predict = Run("predict m --batch 2 --quantiles 0.1,0.9 --csv " + csv.path());
  EXPECT_EQ(predict.exit_code, 0) << predict.err;
  EXPECT_THAT(predict.out, StartsWith("label,p_0,p_1,entropy,"));
  EXPECT_EQ(std::count(predict.out.begin(), predict.out.end(), '\n'), 4);
  ASSERT_EQ(server_.last_predict().options().queries_size(), 2);
  EXPECT_EQ(server_.last_predict().options().queries(1).name(), "quantiles");
  EXPECT_EQ(server_.last_predict()
                .options()
                .queries(1)
                .options()
                .fields()
                .at("levels")
                .list_value()
                .values_size(),
            2);
  EXPECT_FALSE(server_.last_predict().batch().has_targets());
}

TEST_F(ProgramTest, QuantilesOfClassesAreRefusedAsTheyWereAskedFor) {
  google::rpc::BadRequest refusal;
  refusal.add_field_violations()->set_field("options.queries[0].name");
  server_.behaviour().predict_error.set_code(3);
  server_.behaviour().predict_error.add_details()->PackFrom(refusal);
  const TemporaryFile csv("x\n1\n");
  const Outcome predict = Run("predict m --quantiles 0.5 --csv " + csv.path());
  EXPECT_EQ(predict.exit_code, 2);
  EXPECT_THAT(predict.err, StartsWith("prequel: --quantiles is for models of values and counts"));
}

TEST_F(ProgramTest, PredictByARevision) {
  const TemporaryFile csv("x\n1\n");
  const std::string predict = "predict m --csv " + csv.path();
  EXPECT_EQ(Run(predict).exit_code, 0);
  EXPECT_FALSE(server_.last_predict().has_revision());
  EXPECT_THAT(Run(predict + " --json --revision 0").out, HasSubstr("\"revision\": 7"));
  EXPECT_TRUE(server_.last_predict().has_revision());
  EXPECT_EQ(Run(predict + " --min-revision 6").exit_code, 0);
  EXPECT_EQ(server_.last_predict().min_revision(), 6);
  EXPECT_FALSE(server_.last_predict().has_revision());
  EXPECT_EQ(Run(predict + " --revision -1").exit_code, 2);
}

TEST_F(ProgramTest, PredictAtTimes) {
  const TemporaryFile csv("x,when\n1,1970-01-02\n2,1970-01-02 00:01:00\n3,7.5\n");
  const std::string predict = "predict m --csv " + csv.path();
  EXPECT_EQ(Run(predict).exit_code, 0);
  EXPECT_FALSE(server_.last_predict().batch().has_times());
  const Outcome timed = Run(predict + " --time when");
  EXPECT_EQ(timed.exit_code, 0) << timed.err;
  const absl::StatusOr<std::vector<double>> times =
      client::TensorValues(server_.last_predict().batch().times());
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_THAT(*times, ElementsAre(86400, 86460, 7.5));
  const Outcome misspelt = Run(predict + " --time wehn");
  EXPECT_EQ(misspelt.exit_code, 4);
  EXPECT_THAT(misspelt.err, HasSubstr("when"));
}

TEST_F(ProgramTest, Generate) {
  const Outcome generate = Run("generate moons --seed 1 --rows 2");
  EXPECT_EQ(generate.exit_code, 0);
  EXPECT_EQ(generate.out, "x1,x2,y\n0.02823163334,0.9803032332,0\n1.769540026,0.1173868638,1\n");
  EXPECT_EQ(Run("generate moon").exit_code, 2);
}

TEST_F(ProgramTest, Snapshot) {
  EXPECT_EQ(Run("snapshot m").out, "stored models/m at revision 7, 1,234 bytes\n");
  EXPECT_THAT(Run("snapshot m --json").out, HasSubstr("\"revision\""));
}

TEST_F(ProgramTest, History) {
  EXPECT_THAT(Run("revisions m").out,
              StartsWith("models/m is at revision 9; it can be returned to any from 3 on\n"));
  EXPECT_EQ(Run("rollback m").exit_code, 2) << "to which revision?";
  EXPECT_EQ(Run("rollback m --revision 4").out, "rolled back models/m, at revision 10\n");
  EXPECT_EQ(Run("fork m n").out, "forked models/n, at revision 9\n");
  EXPECT_EQ(Run("fork m n --revision 5").out, "forked models/n, at revision 5\n");
  const TemporaryFile json(R"({"features": [{"name": "z"}]})");
  EXPECT_THAT(Run("fork m n --json --config " + json.path()).out, HasSubstr("\"z\""));
  const TemporaryFile difference(R"({"dynamics": {"name": "static"}})");
  const Outcome still = Run("fork m n --json --config - <" + difference.path());
  EXPECT_EQ(still.exit_code, 0) << still.err;
  EXPECT_THAT(still.out, AllOf(HasSubstr("\"x\""), HasSubstr("\"static\"")));
  const TemporaryFile file;
  const Outcome exported = Run("export m " + file.path());
  EXPECT_EQ(exported.out, "exported models/m to " + file.path() + ", 21 bytes\n");
  EXPECT_EQ(Content(file.path()), "a model in two pieces");
  EXPECT_EQ(Run("import n " + file.path()).out, "imported models/n, at revision 21\n");
  EXPECT_EQ(Run("import n /nonexistent").exit_code, 4);
  server_.behaviour().error.set_code(5);
  EXPECT_EQ(Run("export m " + file.path()).exit_code, 1);
  EXPECT_EQ(Content(file.path()), "a model in two pieces") << "only a whole one replaces it";
}

TEST_F(ProgramTest, Health) {
  EXPECT_EQ(Run("health").exit_code, 0);
  server_.behaviour().serving = false;
  EXPECT_EQ(Run("health").exit_code, 1);
}

// A server of before answers predictions, whatever else is asked.
TEST_F(ProgramTest, ScoreNeedsAServerThatScores) {
  server_.behaviour().scores_batches = false;
  const TemporaryFile csv(Csv(2));
  const Outcome old = Run("score m --csv " + csv.path());
  EXPECT_EQ(old.exit_code, 1);
  EXPECT_THAT(old.err, HasSubstr("too old to score"));
}

// Every request after the first is of the revision that answered it.
TEST_F(ProgramTest, ScoreSaysHowAFileCameTrue) {
  const TemporaryFile csv(Csv(5));
  v1::BatchScores& scores = server_.behaviour().scores;
  scores.mutable_scores()->set_examples(2);
  for (const auto& [name, value] : {std::pair("rmse", 2.0), std::pair("ece", 0.5)}) {
    v1::Score* score = scores.mutable_scores()->add_scores();
    score->set_name(name);
    score->set_value(value);
  }
  scores.set_unseen_categories(3);
  scores.set_skipped_rows(4);
  scores.set_unscored_rows(1);
  const Outcome whole = Run("score m --csv " + csv.path());
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(whole.out, AllOf(HasSubstr("revision  7\n"), HasSubstr("2 rows, of which nothing"),
                               HasSubstr("4 rows without a target"), HasSubstr("1 row: "),
                               HasSubstr("3 values of a category"), HasSubstr("ece")));
  EXPECT_TRUE(server_.last_predict().options().scores());
  EXPECT_FALSE(server_.last_predict().has_revision());
  EXPECT_EQ(server_.last_predict().batch().targets().shape(0), 5);

  scores.set_refused_rows(1);
  v1::RefusedRow* refused = scores.add_first_refused_rows();
  refused->set_row(1);
  refused->set_label("7");
  refused->set_reason("classes are 0..2");
  const Outcome parts = Run("score m --batch 2 --csv " + csv.path());
  EXPECT_EQ(parts.exit_code, 5) << parts.err;
  EXPECT_THAT(parts.out, AllOf(HasSubstr("6 rows"), Not(HasSubstr("ece")),
                               HasSubstr("3 rows refused, whose label is no class; the first is "
                                         "line 3: label 7: classes are 0..2\n")));
  EXPECT_EQ(server_.last_predict().revision(), 7);
  EXPECT_EQ(server_.predicts(), 4);
  const Outcome json = Run("score m --json --csv " + csv.path());
  google::protobuf::Struct document;
  ASSERT_TRUE(FromJson(json.out, &document).ok()) << json.out;
  EXPECT_EQ(document.fields().at("unseen_categories").number_value(), 3);
  EXPECT_EQ(document.fields().at("skipped_rows").number_value(), 4);
  EXPECT_EQ(document.fields().at("unscored_rows").number_value(), 1);
  EXPECT_EQ(document.fields().at("refused_rows").number_value(), 1);
  const auto& refusals = document.fields().at("first_refused_rows").list_value();
  EXPECT_EQ(refusals.values(0).struct_value().fields().at("line").number_value(), 3);
  EXPECT_EQ(document.fields().at("scores").struct_value().fields().at("rmse").number_value(), 2);
}

}  // namespace
}  // namespace prequel::cli::program_test
