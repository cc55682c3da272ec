#include "server/engine/publication.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/engine/fake_world.h"

namespace prequel::publication_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Code = absl::StatusCode;

class PublicationTest : public ::testing::Test {
 protected:
  Publication::Then Note(std::string who) {
    return [this, who = std::move(who)](const absl::Status& status) {
      told_.push_back(who + " " + absl::StatusCodeToString(status.code()));
    };
  }
  std::vector<std::string> Told() { return std::exchange(told_, {}); }
  static Published At(std::int64_t revision) { return {.revision = revision}; }

  const std::shared_ptr<Publication> publication_ =
      std::make_shared<Publication>(absl::UnavailableError("not yet"));
  std::vector<std::string> told_;
};

TEST_F(PublicationTest, HasAProblemUntilSomethingIsPublished) {
  EXPECT_EQ(publication_->Load().status().code(), Code::kUnavailable);
  EXPECT_EQ(publication_->problem().code(), Code::kUnavailable);
  const auto learner = std::make_shared<const Learner>(Learner::Create(LinearConfig(2)).value());
  publication_->Introduce(learner);
  publication_->Report({.folded = 2, .records = 5});
  EXPECT_EQ(publication_->Peek().view.learner, learner);
  EXPECT_EQ(publication_->Peek().problem.code(), Code::kUnavailable);
  EXPECT_EQ(publication_->Peek().replay->folded, 2);
  publication_->Publish(At(3));
  EXPECT_EQ(publication_->Load()->published.revision, 3);
  EXPECT_EQ(publication_->Load()->learner, learner);
  EXPECT_TRUE(publication_->problem().ok());
  EXPECT_EQ(publication_->Peek().replay, std::nullopt);
}

TEST_F(PublicationTest, ThoseWhoWaitAreToldInOrderOfTheirRevisions) {
  publication_->Publish(At(1));
  publication_->Await(1, Note("one"));
  EXPECT_THAT(Told(), ElementsAre("one OK")) << "at once";
  publication_->Await(4, Note("four"));
  publication_->Await(2, Note("two"));
  publication_->Await(3, Note("three"));
  publication_->Await(2, Note("two, too"));
  publication_->Publish(At(1));
  EXPECT_THAT(Told(), IsEmpty());
  publication_->Publish(At(3));
  EXPECT_THAT(Told(), ElementsAre("two OK", "two, too OK", "three OK"));
  publication_->Publish(At(9));
  EXPECT_THAT(Told(), ElementsAre("four OK"));
  publication_->Publish(At(10));
  EXPECT_THAT(Told(), IsEmpty()) << "once";
}

TEST_F(PublicationTest, WhatIsCancelledIsNotTold) {
  publication_->Publish(At(1));
  Subscription two = publication_->Await(2, Note("two"));
  Subscription three = publication_->Await(3, Note("three"));
  Subscription there = publication_->Await(1, Note("there"));
  EXPECT_FALSE(there.Cancel());
  EXPECT_TRUE(two.Cancel());
  EXPECT_FALSE(two.Cancel());
  publication_->Publish(At(3));
  EXPECT_FALSE(three.Cancel()) << "it was told";
  EXPECT_THAT(Told(), ElementsAre("there OK", "three OK"));
  EXPECT_FALSE(Subscription().Cancel());
}

TEST_F(PublicationTest, ASubscriptionIsNotCancelledByItsEnd) {
  publication_->Publish(At(1));
  { const Subscription ignored = publication_->Await(2, Note("two")); }
  publication_->Publish(At(2));
  EXPECT_THAT(Told(), ElementsAre("two OK"));
}

TEST_F(PublicationTest, AnEndTellsThoseWhoWaitAndThoseWhoCome) {
  publication_->Publish(At(1));
  Subscription two = publication_->Await(2, Note("two"));
  publication_->End(absl::NotFoundError("deleted"));
  publication_->Await(5, Note("five"));
  publication_->Await(1, Note("one"));
  EXPECT_THAT(Told(), ElementsAre("two NOT_FOUND", "five NOT_FOUND", "one OK"));
  EXPECT_EQ(publication_->Load()->published.revision, 1) << "reads go on";
  EXPECT_FALSE(two.Cancel());
}

TEST_F(PublicationTest, AProblemIsToldAtOnce) {
  publication_->Await(0, Note("early"));
  publication_->Fail(absl::DataLossError("damaged"));
  publication_->Await(0, Note("late"));
  EXPECT_THAT(Told(), ElementsAre("early UNAVAILABLE", "late DATA_LOSS"));
  EXPECT_EQ(publication_->Load().status().code(), Code::kDataLoss);
}

// Whoever is told may ask again, and let go of what it held.
TEST_F(PublicationTest, MayBeUsedFromWithinACall) {
  publication_->Publish(At(1));
  publication_->Await(2, [this](const absl::Status&) {
    EXPECT_EQ(publication_->Load()->published.revision, 2);
    publication_->Await(3, Note("three"));
  });
  publication_->Publish(At(2));
  publication_->Publish(At(3));
  EXPECT_THAT(Told(), ElementsAre("three OK"));
}

TEST_F(PublicationTest, EveryOneIsToldOnceWhoeverCancelsMeanwhile) {
  constexpr int kThreads = 4, kEach = 200;
  publication_->Publish(At(0));
  std::atomic<int> told = 0, cancelled = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        Subscription subscription =
            publication_->Await(1 + i % 50, [&told](const absl::Status&) { ++told; });
        if (i % 2 == 0) cancelled += subscription.Cancel() ? 1 : 0;
      }
    });
  }
  for (int revision = 1; revision <= 50; ++revision) publication_->Publish(At(revision));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(told + cancelled, kThreads * kEach);
}

}  // namespace
}  // namespace prequel::publication_test
