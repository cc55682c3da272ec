// `prequel create`, against a fake server: what it sends and what it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/cli/output/proto_json.h"
#include "tests/client/cli/program_fixture.h"

namespace prequel::cli::create_command_test {
namespace {

using client::TemporaryFile;
using ::testing::HasSubstr;

TEST_F(ProgramTest, CreateSendsWhatWasAsked) {
  const Outcome create = Run(
      "create moons --inputs x1,x2 --target y --model mlp --hidden 32,32 --likelihood bernoulli "
      "--posterior full --rule rvga --option rule.passes=5 --option likelihood.noise=0.1 --json");
  EXPECT_EQ(create.exit_code, 0) << create.err;
  const v1::CreateModelRequest sent = server_.last_create();
  EXPECT_EQ(sent.model_id(), "moons");
  EXPECT_EQ(sent.config().features_size(), 2);
  EXPECT_EQ(sent.config().rule().options().fields().at("passes").number_value(), 5);
  v1::Model printed;
  ASSERT_TRUE(FromJson(create.out, &printed).ok()) << create.out;
  EXPECT_EQ(printed.name(), "models/moons");
}

TEST_F(ProgramTest, CreateFromCsv) {
  const TemporaryFile csv("x,t,y\n1,a,0\n2,b,1\n");
  const Outcome create = Run("create m --from-csv " + csv.path() + " --target y");
  EXPECT_EQ(create.exit_code, 0) << create.err;
  EXPECT_THAT(create.err, HasSubstr("note: target 'y' has 2 distinct values"));
  EXPECT_EQ(server_.last_create().config().likelihood().name(), "bernoulli");
}

TEST_F(ProgramTest, CreateFromCsvAsItWasSaid) {
  const TemporaryFile csv("zip,when,k,y\n01234,2024-01-31,1,a\n99999,2024-02-01,2,b\n1,,3,c\n");
  const std::string create = "create m --target y --from-csv " + csv.path();
  const Outcome inferred = Run(create + " --text zip --ignore k");
  EXPECT_EQ(inferred.exit_code, 0) << inferred.err;
  EXPECT_THAT(inferred.err, HasSubstr("with room for 4 new labels (--labels lists them"));
  const v1::ModelConfig config = server_.last_create().config();
  ASSERT_EQ(config.features_size(), 2);
  EXPECT_EQ(config.features(0).max_categories(), 5);
  EXPECT_EQ(config.features(1).name(), "when:date");
  EXPECT_EQ(config.target().num_classes(), 7);
  EXPECT_EQ(Run(create + " --inputs k,zip:text --labels a,b,c").exit_code, 0);
  EXPECT_EQ(server_.last_create().config().features(0).max_categories(), 5);
  EXPECT_EQ(server_.last_create().config().target().labels_size(), 3);
  EXPECT_EQ(server_.last_create().config().target().num_classes(), 0);
  EXPECT_EQ(Run(create + " --text nothing").exit_code, 4);
}

TEST_F(ProgramTest, AFileWithoutAHeader) {
  const TemporaryFile csv("5.1,3.5,0\n4.9,3.25,1\n");
  const std::string create = "create m --target c3 --from-csv " + csv.path();
  const Outcome refused = Run(create);
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, HasSubstr("line 1: looks like data"));
  EXPECT_THAT(refused.err, HasSubstr("--no-header"));
  const Outcome created = Run(create + " --no-header");
  EXPECT_EQ(created.exit_code, 0) << created.err;
  EXPECT_EQ(server_.last_create().config().features(1).name(), "c2");
  const TemporaryFile rows("5.1\n4.9\n");
  server_.behaviour().models[0].mutable_config()->mutable_features(0)->set_name("c1");
  EXPECT_EQ(Run("predict m --csv " + rows.path()).exit_code, 4);
  EXPECT_EQ(Run("predict m --no-header --csv " + rows.path()).exit_code, 0);
  EXPECT_EQ(server_.last_predict().batch().inputs().shape(0), 2);
  EXPECT_EQ(Run("predict m --header --no-header --csv " + rows.path()).exit_code, 2);
}

TEST_F(ProgramTest, CreateFromAFile) {
  const TemporaryFile json(R"({"features": [{"name": "x"}], "model": {"name": "linear"}})");
  EXPECT_EQ(Run("create m --config " + json.path() + " --seed 9").exit_code, 0);
  EXPECT_EQ(server_.last_create().config().model().name(), "linear");
  EXPECT_EQ(server_.last_create().config().seed(), 9);
  const TemporaryFile broken("{");
  EXPECT_EQ(Run("create m --config " + broken.path()).exit_code, 4);
}

TEST_F(ProgramTest, CreateHashesColumnsOfAFileThatLookLikeNumbers) {
  const TemporaryFile csv("user,\"a,b\",y\n17,1,0\n18,2,1\n");
  const Outcome create = Run("create m --target y --from-csv " + csv.path() +
                             " --hash-buckets user:64 --ignore '\"a,b\"'");
  EXPECT_EQ(create.exit_code, 0) << create.err;
  ASSERT_EQ(server_.last_create().config().features_size(), 1);
  EXPECT_EQ(server_.last_create().config().features(0).hash_buckets(), 64);
  EXPECT_EQ(server_.last_create().config().features(0).max_categories(), 0);
}

TEST_F(ProgramTest, CreateMayFindTheModelThere) {
  constexpr int kAlreadyExists = 6;
  server_.behaviour().error.set_code(kAlreadyExists);
  server_.behaviour().errors = 2;
  const std::string create = "create m --inputs x --target y --rule rvga";
  EXPECT_NE(Run(create).exit_code, 0);
  const Outcome there = Run(create + " --exist-ok");
  EXPECT_EQ(there.exit_code, 0) << there.err;
  EXPECT_EQ(there.out, "models/m exists already\n");
  EXPECT_EQ(there.err, "note: models/m has another rule than is asked for, and stays as it is\n");
}

// Of what was not asked for: the server of these tests makes a model of the config that it is sent.
TEST_F(ProgramTest, CreateSaysThatAModelStandsStill) {
  const std::string create = "create m --inputs x --target y";
  EXPECT_EQ(Run(create).err, "");
  EXPECT_EQ(Run(create + " --dynamics static").err, "");
  server_.behaviour().chosen_dynamics = "static";
  EXPECT_THAT(Run(create).err, testing::HasSubstr("note: models/m stands still (dynamics static)"));
}

}  // namespace
}  // namespace prequel::cli::create_command_test
