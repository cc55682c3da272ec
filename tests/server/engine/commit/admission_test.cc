#include "server/engine/commit/admission.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

namespace prequel::admission_test {
namespace {

TEST(AdmissionTest, ATicketGivesBackItsRoom) {
  const EngineObservers observers({});
  Admission admission(2, 100, observers);
  Admission::Account a, b;
  std::optional<Admission::Ticket> first = admission.Admit(a, 10).value();
  const Admission::Ticket second = admission.Admit(a, 10).value();
  EXPECT_EQ(admission.Admit(a, 10).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(admission.Admit(b, 80).ok());
  EXPECT_EQ(admission.Admit(b, 81).status().code(), absl::StatusCode::kResourceExhausted);
  Admission::Ticket moved = std::move(*first);
  first.reset();
  EXPECT_FALSE(admission.Admit(a, 10).ok()) << "the ticket lives on where it was moved";
  moved = Admission::Ticket();
  EXPECT_TRUE(admission.Admit(a, 10).ok());
}

TEST(AdmissionTest, WhoeverIsAloneIsLetIn) {
  const EngineObservers observers({});
  Admission admission(2, 100, observers);
  Admission::Account a;
  EXPECT_TRUE(admission.Admit(a, 1000).ok());
}

TEST(AdmissionTest, ClosesAndAwaitsThoseInside) {
  const EngineObservers observers({});
  Admission admission(1000, 1000, observers);
  Admission::Account account;
  EXPECT_TRUE(admission.AwaitIdle(TimePoint()));
  std::optional<Admission::Ticket> ticket = admission.Admit(account, 1).value();
  admission.Close();
  EXPECT_EQ(admission.Admit(account, 1).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(admission.CheckOpen().code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(admission.AwaitIdle(TimePoint()));
  std::thread leaver([&] { ticket.reset(); });
  EXPECT_TRUE(admission.AwaitIdle(TimePoint::max()));
  leaver.join();
}

}  // namespace
}  // namespace prequel::admission_test
