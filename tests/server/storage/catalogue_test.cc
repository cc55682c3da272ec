// The contract of server/storage/catalogue.h, for every store.
#include "server/storage/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/server/storage/test_stores.h"

namespace prequel::catalogue_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class Disk>
class CatalogueTest : public ::testing::Test {
 protected:
  CatalogueTest() { Reopen(); }

  void Reopen() {
    store_.reset();
    absl::StatusOr<std::unique_ptr<Store>> store = disk_.Open();
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }
  Catalogue& catalogue() { return store_->catalogue(); }

  StoredModel Create(const std::string& name, const std::string& config = "config") {
    const absl::StatusOr<StoredModel> model = catalogue().CreateModel(name, config, 1234, nullptr);
    EXPECT_TRUE(model.ok()) << model.status();
    return model.value_or(StoredModel());
  }

  std::vector<std::string> Names() {
    std::vector<std::string> names;
    const auto models = catalogue().ListModels();
    EXPECT_TRUE(models.ok());
    for (const StoredModel& model : *models) names.push_back(model.name);
    return names;
  }

  std::size_t Records(LogId log) {
    std::size_t records = 0;
    const absl::Status status = VisitLog(store_->log(), log, 0, [&records](const LogRecord&) {
      ++records;
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return records;
  }

  Disk disk_;
  std::unique_ptr<Store> store_;
};

using Disks = ::testing::Types<MemoryTestDisk, RocksTestDisk>;
TYPED_TEST_SUITE(CatalogueTest, Disks, DiskNames);

TYPED_TEST(CatalogueTest, KeepsModelsAcrossReopening) {
  const StoredModel prices = this->Create("prices", std::string("con\0fig", 7));
  this->Create("ab");
  this->Create("abc");
  this->Reopen();
  EXPECT_THAT(this->Names(), ElementsAre("ab", "abc", "prices"));
  const StoredModel model = this->catalogue().ListModels()->back();
  EXPECT_EQ(model.id, prices.id);
  EXPECT_EQ(model.log, prices.log);
  EXPECT_EQ(model.config, std::string("con\0fig", 7));
  EXPECT_EQ(model.create_time_us, 1234);
  EXPECT_TRUE(model.problem.ok());
}

TYPED_TEST(CatalogueTest, RefusesANameThatIsTaken) {
  this->Create("prices");
  EXPECT_EQ(this->catalogue().CreateModel("prices", "", 0, nullptr).status().code(),
            absl::StatusCode::kAlreadyExists);
  this->Create("price");
  this->Create("prices2");
  EXPECT_THAT(this->Names(), ElementsAre("price", "prices", "prices2"));
}

// Of models and of logs alike: one that is taken for the other is nobody's.
TYPED_TEST(CatalogueTest, NoIdIsGivenTwice) {
  std::set<std::uint64_t> ids;
  for (int round = 0; round < 3; ++round) {
    for (const char* name : {"a", "b"}) {
      const StoredModel model = this->Create(name);
      EXPECT_TRUE(ids.insert(NumberOf(model.id)).second);
      EXPECT_TRUE(ids.insert(NumberOf(model.log)).second);
      if (round == 1) this->Reopen();
      ASSERT_TRUE(this->catalogue().DeleteModel(name, model.id).ok());
    }
    this->Reopen();
  }
}

TYPED_TEST(CatalogueTest, DeletesAModelWithItsLogOnly) {
  std::vector<StoredModel> models;
  for (const char* name : {"a", "b", "c"}) {
    models.push_back(this->Create(name));
    for (int i = 0; i < 5; ++i) {
      const std::string payload(8000, 'x');
      LogRecord record{.log = models.back().log, .payload = payload};
      ASSERT_TRUE(this->store_->log().Append({&record, 1}).ok());
    }
  }
  const StoredModel &a = models[0], &b = models[1], &c = models[2];
  ASSERT_TRUE(this->catalogue().DeleteModel("b", b.id).ok());
  EXPECT_EQ(this->catalogue().DeleteModel("b", b.id).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(this->catalogue().DeleteModel("a", b.id).code(), absl::StatusCode::kNotFound);
  this->Reopen();
  EXPECT_THAT(this->Names(), ElementsAre("a", "c"));
  EXPECT_EQ(this->Records(a.log), 5u);
  EXPECT_EQ(this->Records(b.log), 0u);
  EXPECT_EQ(this->Records(c.log), 5u);
}

TYPED_TEST(CatalogueTest, ADamagedModelIsListedWithItsProblemAndCanBeDeleted) {
  const StoredModel a = this->Create("a"), b = this->Create("b");
  this->store_.reset();
  this->disk_.CorruptModel(a);
  this->Reopen();
  const auto models = this->catalogue().ListModels();
  ASSERT_TRUE(models.ok());
  ASSERT_EQ(models->size(), 2u);
  EXPECT_EQ((*models)[0].problem.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ((*models)[0].name, "a");
  EXPECT_EQ((*models)[0].log, a.log);
  EXPECT_TRUE((*models)[1].problem.ok());
  EXPECT_TRUE(this->catalogue().DeleteModel("a", a.id).ok());
  EXPECT_TRUE(this->catalogue().DeleteModel("b", b.id).ok());
  EXPECT_THAT(this->Names(), IsEmpty());
}

TYPED_TEST(CatalogueTest, IsOpenOnlyOnce) {
  const absl::Status second = this->disk_.Open().status();
  EXPECT_EQ(second.code(), absl::StatusCode::kFailedPrecondition) << second;
  EXPECT_THAT(std::string(second.message()), HasSubstr("in use"));
  this->Create("a");
  this->Reopen();
  EXPECT_THAT(this->Names(), ElementsAre("a"));
}

}  // namespace
}  // namespace prequel::catalogue_test
