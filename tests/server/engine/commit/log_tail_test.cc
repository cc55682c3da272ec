#include "server/engine/commit/log_tail.h"

#include <gtest/gtest.h>

namespace prequel::log_tail_test {
namespace {

using Verdict = LogTail::Verdict;

Ledger Example() {
  Ledger ledger;
  ledger.Record({"p", 1}, {.revision = 1});
  ledger.Record({"p", 2}, {.revision = 2});
  ledger.Record({"id", 0}, {.revision = 3});
  return ledger;
}

TEST(LogTailTest, GoesOnWhereTheLedgerIsAndGivesBackWhatWasNotLogged) {
  LogTail tail(Example());
  EXPECT_EQ(tail.Next("p"), 3);
  EXPECT_EQ(tail.Take({"p", 2}), Verdict::kRepeat);
  EXPECT_EQ(tail.Take({"p", 4}), Verdict::kGap);
  EXPECT_EQ(tail.Take({"p", 3}), Verdict::kNew);
  EXPECT_EQ(tail.Take({"p", 3}), Verdict::kRepeat);
  EXPECT_EQ(tail.Take({"p", 4}), Verdict::kNew);
  EXPECT_EQ(tail.Take({"id", 0}), Verdict::kRepeat);
  EXPECT_EQ(tail.Take({"id2", 0}), Verdict::kNew);
  EXPECT_EQ(tail.Take({"id2", 0}), Verdict::kRepeat);
  tail.Settle(false);
  EXPECT_EQ(tail.Next("p"), 3);
  EXPECT_EQ(tail.Take({"id2", 0}), Verdict::kNew);
  EXPECT_EQ(tail.Take({"p", 3}), Verdict::kNew);
  tail.Settle(true);
  EXPECT_EQ(tail.Next("p"), 4);
  EXPECT_EQ(tail.Take({"id2", 0}), Verdict::kRepeat);
}

TEST(LogTailTest, NobodysRecordsAreAlwaysNew) {
  LogTail tail{Ledger()};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(tail.Take({}), Verdict::kNew);
}

}  // namespace
}  // namespace prequel::log_tail_test
