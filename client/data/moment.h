// Dates and times as text, and the numbers that a model gets for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prequel::client {

// How a column writes its moments.
struct MomentForm {
  enum class Kind { kDate, kDateTime, kTime };
  // 2024-04-03, 3/4/2024 or 4/3/2024. Not of times of day.
  enum class Order { kYearFirst, kDayFirst, kMonthFirst };
  Kind kind = Kind::kDate;
  Order order = Order::kYearFirst;

  bool operator==(const MomentForm&) const = default;
};

// Every form; of those that fit all cells of a column the first is meant.
inline constexpr std::array<MomentForm, 7> kMomentForms = {{
    {MomentForm::Kind::kTime, MomentForm::Order::kYearFirst},
    {MomentForm::Kind::kDate, MomentForm::Order::kYearFirst},
    {MomentForm::Kind::kDateTime, MomentForm::Order::kYearFirst},
    {MomentForm::Kind::kDate, MomentForm::Order::kDayFirst},
    {MomentForm::Kind::kDate, MomentForm::Order::kMonthFirst},
    {MomentForm::Kind::kDateTime, MomentForm::Order::kDayFirst},
    {MomentForm::Kind::kDateTime, MomentForm::Order::kMonthFirst},
}};

// Day and seconds are as the calendar and the clock on the wall had them.
struct Moment {
  std::int64_t day = 0;  // since 1970-01-01
  double seconds = 0;    // since midnight
  double offset = 0;     // seconds that the clock is ahead of UTC; 0 where the text does not say
};

// Seconds since 1970 in UTC, by `offset`.
double InstantOf(const Moment& moment);

// The moment that the whole of `text` is, apart from surrounding blanks; nothing when it is not of
// this form, or there is no such day or time.
//   date       2024-04-03, 2024/4/3, 2024.4.3; day or month first: 3/4/2024, 3-4-2024, 3.4.2024
//   time       10:15, 10:15:30, 10:15:30.25, 10:15 PM
//   date-time  a date; or a date, T or a blank, and a time, then perhaps Z, +02:00, +0200 or +02
std::optional<Moment> ParseMoment(std::string_view text, const MomentForm& form);

// "2024-01-31 10:15:00", for a message about a cell that is not of the form.
std::string ExampleOf(const MomentForm& form);

// Whether a person would take `text` for a date, in whatever form: months by name, years of two
// digits, days that no month has, or any of the forms above.
bool LooksLikeMoment(std::string_view text);

// What a model gets for a moment, in this order, each angle as its sine and its cosine:
//   dates, date-times    days since 1970-01-01, with the fraction of the day
//   dates, date-times    2π · the part of the year that is over
//   dates, date-times    2π · the part of the week that is over, from Monday on
//   date-times, times    2π · the part of the day that is over
std::size_t MomentWidth(const MomentForm& form);
void AppendMoment(const Moment& moment, const MomentForm& form, std::vector<double>* out);

// The form travels with the model in the name of a numeric feature of MomentWidth columns:
// "COLUMN:date", "COLUMN:datetime" or "COLUMN:time", "-dmy" or "-mdy" behind it when the day or the
// month comes first.
std::string MomentFeatureName(std::string_view column, const MomentForm& form);

struct MomentColumn {
  std::string column;
  MomentForm form;
};

// MomentColumnOf is nothing unless `name` is such a name and `width` such a width.
std::optional<MomentColumn> MomentColumnOf(std::string_view name, std::size_t width);

}  // namespace prequel::client
