// Snapshots as clients and operators see them.
#include "tests/server/server/server_fixture.h"

namespace prequel::snapshot_test {
namespace {

class SnapshotTest : public ServerTest {
 protected:
  grpc::Status Take(v1::Snapshot* snapshot, const std::string& name = "models/m") {
    grpc::ClientContext context;
    v1::CreateSnapshotRequest request;
    request.set_name(name);
    return models_->CreateSnapshot(&context, request, snapshot);
  }

  void LearnMany(int from, int to) {
    for (int i = from; i < to; ++i) ASSERT_TRUE(Learn(LinearBatch(i)).ok());
  }
};

TEST_F(SnapshotTest, IsTakenOnDemandAndWhenStopping) {
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  LearnMany(0, 5);
  v1::Snapshot first, again;
  ASSERT_TRUE(Take(&first).ok());
  EXPECT_EQ(first.revision(), 5);
  EXPECT_GT(first.bytes(), 0);
  EXPECT_GT(first.create_time().seconds(), 1'600'000'000);
  EXPECT_THAT(first.build(), ::testing::StartsWith("prequel "));
  ASSERT_TRUE(Take(&again).ok());
  EXPECT_EQ(again.create_time().nanos(), first.create_time().nanos()) << "nothing new";
  LearnMany(5, 8);
  const std::string before = Fingerprint();
  StopServer();
  StartServer();
  EXPECT_EQ(Fingerprint(), before);
  ASSERT_TRUE(Take(&again).ok());
  EXPECT_EQ(again.revision(), 8);
  EXPECT_LT(again.create_time().seconds(), first.create_time().seconds() + 60);
  LearnMany(8, 9);
}

TEST_F(SnapshotTest, ManyRestartsOnTheWayLeadToTheSameBits) {
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  LearnMany(0, 40);
  const std::string expected = Fingerprint();
  StopServer();
  options_.data_dir = directory_.path("restarted");
  options_.snapshot_batches = 3;
  options_.snapshots_kept = 1;
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  for (int i = 0; i < 40; i += 8) {
    LearnMany(i, i + 8);
    StopServer();
    StartServer();
  }
  EXPECT_EQ(Fingerprint(), expected);
}

TEST_F(SnapshotTest, Refusals) {
  StartServer();
  v1::Snapshot snapshot;
  EXPECT_EQ(PartsOf(Take(&snapshot)).reason, "MODEL_NOT_FOUND");
  EXPECT_EQ(PartsOf(Take(&snapshot, "m")).fields, std::vector<std::string>{"name"});
}

}  // namespace
}  // namespace prequel::snapshot_test
