#include "client/data/moment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace prequel::client::moment_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using Kind = MomentForm::Kind;
using Order = MomentForm::Order;

constexpr MomentForm kDate{Kind::kDate, Order::kYearFirst};
constexpr MomentForm kDayFirst{Kind::kDate, Order::kDayFirst};
constexpr MomentForm kMonthFirst{Kind::kDate, Order::kMonthFirst};
constexpr MomentForm kDateTime{Kind::kDateTime, Order::kYearFirst};
constexpr MomentForm kTime{Kind::kTime, Order::kYearFirst};

// Days since 1970-01-01, or −1 when it is none.
std::int64_t DayOf(const std::string& text, const MomentForm& form) {
  const std::optional<Moment> moment = ParseMoment(text, form);
  return moment.has_value() ? moment->day : -1;
}

double SecondsOf(const std::string& text, const MomentForm& form) {
  const std::optional<Moment> moment = ParseMoment(text, form);
  return moment.has_value() ? moment->seconds : -1;
}

TEST(MomentTest, Dates) {
  EXPECT_EQ(DayOf("1970-01-02", kDate), 1);
  EXPECT_EQ(DayOf(" 2000-03-01 ", kDate), 11017);
  EXPECT_EQ(DayOf("2000/3/1", kDate), 11017);
  EXPECT_EQ(DayOf("1/3/2000", kDayFirst), 11017);
  EXPECT_EQ(DayOf("01.03.2000", kDayFirst), 11017);
  EXPECT_EQ(DayOf("3/1/2000", kMonthFirst), 11017);
  EXPECT_EQ(DayOf("2024-02-29", kDate), 19782);
  for (const char* none : {"2023-02-29", "2024-13-01", "2024-00-10", "2024-01/10", "2024-01", "",
                           "24-01-10", "2024-01-100", "2024-01-10x", "2024-01-10 10:00"}) {
    EXPECT_EQ(DayOf(none, kDate), -1) << none;
  }
  EXPECT_EQ(DayOf("13/3/2000", kMonthFirst), -1);
  EXPECT_EQ(DayOf("3/4/00", kDayFirst), -1);
}

TEST(MomentTest, Times) {
  EXPECT_EQ(SecondsOf("00:00", kTime), 0);
  EXPECT_EQ(SecondsOf("9:05", kTime), 9 * 3600 + 300);
  EXPECT_EQ(SecondsOf("23:59:59.5", kTime), 86399.5);
  EXPECT_EQ(SecondsOf("12:01 AM", kTime), 60);
  EXPECT_EQ(SecondsOf("1:00pm", kTime), 13 * 3600);
  for (const char* none :
       {"24:00", "10:60", "10", "10:5", "10:15:", "10:15:30.", "13:00 PM", "10:15 X", "-1:00"}) {
    EXPECT_EQ(SecondsOf(none, kTime), -1) << none;
  }
}

TEST(MomentTest, DateTimesWithAndWithoutAnOffset) {
  for (const char* text :
       {"2000-03-01T10:15:30", "2000-03-01 10:15:30", "2000-03-01T10:15:30Z",
        "2000-03-01T10:15:30+02:00", "2000-03-01T10:15:30-0330", "2000-03-01 10:15:30+02"}) {
    EXPECT_EQ(DayOf(text, kDateTime), 11017) << text;
    EXPECT_EQ(SecondsOf(text, kDateTime), 10 * 3600 + 15 * 60 + 30) << text;
  }
  EXPECT_EQ(SecondsOf("2000-03-01", kDateTime), 0) << "midnight";
  EXPECT_EQ(SecondsOf("2000-03-01T", kDateTime), -1);
  EXPECT_EQ(SecondsOf("2000-03-01T10:15+", kDateTime), -1);
}

TEST(MomentTest, AnInstantIsWithoutTheOffset) {
  const auto instant = [](const char* text) { return InstantOf(*ParseMoment(text, kDateTime)); };
  EXPECT_EQ(instant("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(instant("1970-01-01 00:01"), 60) << "the clock on the wall, where nothing else is said";
  EXPECT_EQ(instant("1970-01-01T00:00:00+0530"), -19'800);
  EXPECT_EQ(instant("1970-01-01 00:00-08"), 28'800);
  // The night in which clocks go back: 40 minutes later, though the clock shows 20 minutes less.
  EXPECT_EQ(instant("2026-10-25T02:10:00+01:00") - instant("2026-10-25T02:30:00+02:00"), 2'400);
}

TEST(MomentTest, WhatAPersonTakesForADate) {
  for (const char* text : {"2024-04-03", "3/4/24", "2024-02-30", "3 Apr 2024", "April 3, 2024",
                           "12:30", "3/4/2024 10:15 foo"}) {
    EXPECT_TRUE(LooksLikeMoment(text)) << text;
  }
  for (const char* text : {"", "May", "12", "1.2.3", "market 5", "10.0.0.1", "3A", "1/2"}) {
    EXPECT_FALSE(LooksLikeMoment(text)) << text;
  }
}

TEST(MomentTest, CyclesCloseAndDaysGoOn) {
  const auto encode = [](const std::string& text, const MomentForm& form) {
    std::vector<double> numbers;
    AppendMoment(*ParseMoment(text, form), form, &numbers);
    EXPECT_EQ(numbers.size(), MomentWidth(form)) << text;
    return numbers;
  };
  EXPECT_THAT(encode("06:00", kTime), ElementsAre(DoubleNear(1, 1e-12), DoubleNear(0, 1e-12)));
  const std::vector<double> monday = encode("2024-01-01", kDate);
  EXPECT_EQ(monday[0], 19723);
  EXPECT_NEAR(monday[1], 0, 1e-12);
  EXPECT_NEAR(monday[2], 1, 1e-12);
  EXPECT_NEAR(monday[3], 0, 1e-12);
  EXPECT_NEAR(monday[4], 1, 1e-12);
  const std::vector<double> before = encode("2023-12-31", kDate);
  EXPECT_NEAR(before[1], std::sin(-2 * std::numbers::pi / 365), 1e-12) << "the year before";
  EXPECT_NEAR(encode("1969-12-29", kDate)[4], 1, 1e-12) << "a Monday before 1970";
  const std::vector<double> noon = encode("2024-01-01 12:00", kDateTime);
  EXPECT_EQ(noon[0], 19723.5);
  EXPECT_NEAR(noon[6], -1, 1e-12);
}

TEST(MomentTest, TheFormTravelsInTheNameOfTheFeature) {
  for (const MomentForm& form : kMomentForms) {
    const std::string name = MomentFeatureName("a:b", form);
    const auto column = MomentColumnOf(name, MomentWidth(form));
    ASSERT_TRUE(column.has_value()) << name;
    EXPECT_EQ(column->column, "a:b");
    EXPECT_EQ(column->form, form);
    EXPECT_TRUE(ParseMoment(ExampleOf(form), form).has_value()) << ExampleOf(form);
    EXPECT_FALSE(MomentColumnOf(name, MomentWidth(form) + 1).has_value());
  }
  EXPECT_EQ(MomentFeatureName("when", kMonthFirst), "when:date-mdy");
  EXPECT_FALSE(MomentColumnOf("when", 5).has_value());
  EXPECT_FALSE(MomentColumnOf(":date", 5).has_value());
  EXPECT_FALSE(MomentColumnOf("when:days", 5).has_value());
}

}  // namespace
}  // namespace prequel::client::moment_test
