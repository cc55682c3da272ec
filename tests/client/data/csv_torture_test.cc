// Files as people have them: what `create --from-csv` makes of each, or what it says.
#include "tests/client/data/csv_torture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace prequel::client::csv_torture_test {
namespace {

// `line(i)` for i = 0 … rows−1 behind a header.
template <typename Line>
std::string Rows(const std::string& header, std::size_t rows, const Line& line) {
  std::string text = header + "\n";
  for (std::size_t i = 0; i < rows; ++i) text += line(i) + "\n";
  return text;
}

std::string Number(std::size_t i) { return std::to_string(i); }

// A column x of these cells, quoted, beside a target of numbers.
std::string Column(const std::vector<std::string>& cells) {
  std::string text = "x,y\n";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += "\"" + cells[i] + "\"," + std::to_string(i) + ".5\n";
  }
  return text;
}

// A target of these cells beside a column of numbers.
std::string Target(const std::vector<std::string>& cells, int repeat = 1) {
  std::string text = "x,y\n";
  for (int r = 0; r < repeat; ++r) {
    for (std::size_t i = 0; i < cells.size(); ++i) text += Number(i) + ",\"" + cells[i] + "\"\n";
  }
  return text;
}

TEST(CsvTortureTest, Form) {
  using std::string_literals::operator""s;
  for (const Torture& torture : std::vector<Torture>{
           {"plain", "x,y\n1,0.5\n2,1.5\n", "x > y gaussian"},
           {"empty", "", "", "is empty: its first line must name the columns"},
           {"blank lines only", "\n  \n\n", "", "is empty"},
           {"header only", "x,y\n", "", "a header and no rows"},
           {"CRLF", "x,y\r\n1,0.5\r\n2,1.5\r\n", "x > y gaussian"},
           {"CR", "x,y\r1,0.5\r2,1.5", "x > y gaussian"},
           {"blank lines between", "\n\nx,y\n\n1,0.5\n \n2,1.5\n\n", "x > y gaussian"},
           {"UTF-8 byte order mark", "\xEF\xBB\xBFx,y\n1,0.5\n2,1.5\n", "x > y gaussian"},
           {"UTF-16", "\xFF\xFEx\0,\0y\0\n\0"s, "", "is UTF-16: convert it to UTF-8"},
           {"UTF-16, other way round", "\xFE\xFF\0x\0,\0y\0\n"s, "", "is UTF-16"},
           {"UTF-16 without a mark", "x\0,\0y\0\n\0"s, "", "line 1, column 1: a NUL byte"},
           {"NUL in a cell", "x,y\n1,0.5\na\0b,1.5\n"s, "", "line 3, column 'x': a NUL byte"},
           {"Latin-1 in a cell", "x,y\nBonn,0.5\nM\xFCnchen,1.5\n", "",
            "line 3, column 'x': 'M\\xFCnchen' is not UTF-8: convert the file"},
           {"Latin-1 in a name", "stra\xDF\x65,y\n1,2\n", "", "line 1, column 1: 'stra\\xDFe' is"},
           {"UTF-8", "größe,y\nklein,0.5\ngroß,1.5\n", "größe text 4 > y gaussian"},
           {"a cell too large", "x,y\n" + std::string((16 << 20) + 1, '7') + ",1\n", "",
            "line 2, column 'x': the cell exceeds 16 MiB"},
           {"cells without end", "x,y\n" + std::string(1 << 20, ',') + "\n", "",
            "line 2: more than 1,048,576 cells"},
           {"a long text", "x,y\na,0.5\n" + std::string(3000, 'a') + ",1.5\n", "",
            "line 3, column 'x': the text exceeds 1024 bytes, too long for a category; --ignore"},
           {"a long number", "x,y\n" + std::string(3000, '0') + "1,0.5\n2,1.5\n", "x > y gaussian"},
       }) {
    Check(torture);
  }
}

TEST(CsvTortureTest, Header) {
  for (const Torture& torture : std::vector<Torture>{
           {"numbers", "5.1,3.5,0\n4.9,3,1\n", "",
            ": line 1: looks like data, not like the names of the columns: '5.1,3.5,0'; "
            "--no-header names them c1, c2, …, --header says that these are names"},
           {"data with a label", "5.1,3.5,setosa\n4.9,3,setosa\n", "", "line 1: looks like data"},
           {"dates", "2024-01-01,open\n2024-01-02,shut\n", "", "line 1: looks like data"},
           {"said to be none",
            "5.1,3.5,0.25\n4.9,3,1\n",
            "c1, c2 > y gaussian",
            "",
            {.target = "c3"},
            CsvHeader::kAbsent},
           {"said to be one",
            "5.1,y\n4.9,0.5\n5.3,1.5\n",
            "5.1 > y gaussian",
            "",
            {},
            CsvHeader::kPresent},
           {"years", "2019,2020,y\n1,2,0.5\n3,4,1.5\n", "2019, 2020 > y gaussian"},
           {"positions", "0,1,y\n1,2,0.5\n3,4,1.5\n", "0, 1 > y gaussian"},
           {"quoted names", "\"a,b\",\"say \"\"y\"\"\",y\n1,2,0.5\n3,4,1.5\n",
            "a,b, say \"y\" > y gaussian"},
           {"a line break in a name", "\"a\nb\",y\n1,0.5\n2,1.5\n", "a\nb > y gaussian"},
           {"blanks around names", " x , y\n1,0.5\n2,1.5\n", "x > y gaussian"},
           {"a name twice", "x,z, x,y\n1,2,3,0.5\n", "",
            "line 1: columns 1 and 3 are both named 'x': rename one"},
           {"data of letters", "p,x,p,y\np,x,s,n\n", "",
            "or give --no-header if this line is data"},
           {"an index without a name", ",x,y\n0,5,0.5\n1,6,1.5\n", "x > y gaussian",
            "column 1 has no name: left out"},
           {"a comma too many everywhere", "x,y,\n1,0.5,\n2,1.5,\n", "x > y gaussian",
            "column 3 has no name: left out"},
           {"semicolons", "x;y\n1,5;2\n", "", "line 1: the cells seem to be separated by ';'"},
           {"one column and a tab", "y\t\n1\n2\n", "", "no input column is left"},
           {"tabs", "x\ty\n1\t2\n", "", "separated by '\\t'"},
           {"no such target", "x,price\n1,2\n", "", "no column 'y'; the file has 'x', 'price'"},
           {"a target nearly named",
            "x,price\n1,2\n",
            "",
            "no column 'prize'; did you mean 'price'?",
            {.target = "prize"}},
           {"a name with a carriage return", "x,\"ab\r\"\n1,2\n", "", "the file has 'x', 'ab\\r'"},
           {"nothing but the target", "y\n1\n2\n", "", "no input column is left"},
       }) {
    Check(torture);
  }
}

TEST(CsvTortureTest, RecordsAndQuotes) {
  for (const Torture& torture : std::vector<Torture>{
           {"a comma and a quote in a cell", "x,y\n\"a,\"\"b\"\"\",0.5\nc,1.5\n",
            "x text 4 > y gaussian"},
           {"a line break in a cell", "x,y\n\"a\nb\",0.5\nc,1.5\n", "x text 4 > y gaussian"},
           {"a cell too few", "x,z,y\n1,2,3\n4,5\n", "",
            "line 3: expected 3 cells as in the header, found 2"},
           {"a cell too many", "x,y\n1,2\n1,5,2\n", "",
            "line 3: expected 2 cells as in the header, found 3 (a cell with a comma"},
           {"a quote never closed", "x,y\n1,2\n\"3,4\n5,6\n", "",
            "line 3, column 'x': a quote is never closed"},
           {"text behind a quote", "x,y\n\"a\"b,2\n", "",
            "line 2, column 'x': text follows a closing quote; a quote inside a cell is written"},
           {"blanks around cells", "x,t,y\n 1 , a , 0.5\n 2 ,a, 1.5 \n",
            "x, t text 3 > y gaussian"},
           {"numbers in quotes", "x,y\n\"1\",\"0.5\"\n\"2\",\"1.5\"\n", "x > y gaussian"},
       }) {
    Check(torture);
  }
}

TEST(CsvTortureTest, Numbers) {
  const std::string most = "; --text takes the column for text, --ignore leaves it out";
  std::vector<std::string> ages(20, "7");
  ages.push_back("unknown");
  for (const Torture& torture : std::vector<Torture>{
           {"as programs write them", Column({"1", "-2.5", "+3", "1e5", ".5", "1e-400"}),
            "x > y gaussian"},
           {"separators of thousands", Column({"950", "1,234", "12,345.5"}), "",
            "line 3, column 'x': '1,234' has a separator of thousands: write 1234" + most},
           {"all with separators", Column({"1,234", "5,678"}), "", "line 2, column 'x': '1,234'"},
           {"blanks for thousands", Column({"1 234", "5 678"}), "", "write 1234"},
           {"decimal commas", Column({"1,5", "2,25"}), "",
            "line 2, column 'x': '1,5' has a decimal comma: write 1.5" + most},
           {"both", Column({"1.234,5", "2"}), "", "'1.234,5' has a decimal comma: write 1234.5"},
           {"percent", Column({"12%", "7%"}), "", "'12%' is a number with a unit: write 12"},
           {"money", Column({"$5.50", "$7"}), "", "'$5.50' is a number with a unit: write 5.50"},
           {"thousands as text",
            Column({"1,234", "5,678"}),
            "x text 4 > y gaussian",
            "",
            {.text = {"x"}}},
           {"words for none", Column({"1", "", "NA", "NULL", "nan", "?", "N/A", "None"}),
            "x? > y gaussian"},
           {"a word among numbers", Column(ages), "",
            "line 22, column 'x': 'unknown' is not a number, as 20 of the 21 values are: mend it, "
            "or leave the cell empty" +
                most},
           {"a word among numbers, as text",
            Column(ages),
            "x text 4 > y gaussian",
            "",
            {.text = {"x"}}},
           {"numbers and words", Column({"101", "102", "3A", "none"}), "x text 6 > y gaussian",
            "column 'x' has numbers, and in line 4 '3A': all are taken for text"},
           {"infinite", Column({"1", "inf"}), "",
            "line 3, column 'x': 'inf' is infinite or beyond"},
           {"beyond doubles", Column({"1", "1e400"}), "",
            "line 3, column 'x': '1e400' is infinite"},
           {"beyond the service", Column({"1", "1e101"}), "",
            "'1e101' is infinite or beyond 1e100"},
           {"hexadecimal", Column({"0x10", "0x11"}), "x text 4 > y gaussian"},
           {"postal codes", Column({"01234", "99999"}), "x > y gaussian"},
           {"postal codes as text",
            Column({"01234", "99999"}),
            "x text 4 > y gaussian",
            "",
            {.text = {"x"}}},
       }) {
    Check(torture);
  }
}

TEST(CsvTortureTest, DatesAndTimes) {
  for (const Torture& torture : std::vector<Torture>{
           {"dates", Column({"2024-01-31", "2024-02-01"}), "x:date wide 5 > y gaussian",
            "column 'x' has dates such as '2024-01-31': feature 'x:date', 5 numbers"},
           {"dates with slashes", Column({"2024/1/31", "2024/2/1"}), "x:date wide 5 > y gaussian"},
           {"dates with gaps", Column({"2024-01-31", "", "NA"}), "x:date wide 5? > y gaussian"},
           {"date-times", Column({"2024-01-31T10:15:00Z", "2024-02-01 10:15:00.5+02:00"}),
            "x:datetime wide 7 > y gaussian"},
           {"date-times, some at midnight", Column({"2024-01-31 10:15", "2024-02-01"}),
            "x:datetime wide 7 > y gaussian"},
           {"times", Column({"10:15", "23:59:59"}), "x:time wide 2 > y gaussian"},
           {"the day first", Column({"31/1/2024", "1/2/2024"}), "x:date-dmy wide 5 > y gaussian"},
           {"the month first", Column({"1/31/2024 3:04 PM", "2/1/2024 11:00 AM"}),
            "x:datetime-mdy wide 7 > y gaussian"},
           {"points", Column({"31.01.2024", "01.02.2024"}), "x:date-dmy wide 5 > y gaussian"},
           {"day or month first", Column({"3/4/2024", "5/6/2024"}), "",
            "line 2, column 'x': '3/4/2024' may have the day first or the month first, and no row "
            "decides: write 2024-01-31; --text takes the column for text, --ignore leaves it out"},
           {"day and month first", Column({"31/1/2024", "1/31/2024"}), "",
            "line 3, column 'x': '1/31/2024' stands among dates or times"},
           {"months by name", Column({"3 Apr 2024", "5 Jun 2024"}), "",
            "'3 Apr 2024' stands among dates or times, and is none"},
           {"years of two digits", Column({"3/4/24", "31/12/24"}), "", "'3/4/24' stands among"},
           {"no such day", Column({"2024-02-30", "2024-02-29"}), "", "'2024-02-30' stands among"},
           {"dates and a word",
            Column({"2024-01-31", "2024-02-01", "2024-02-02", "2024-02-03", "2024-02-04",
                    "2024-02-05", "2024-02-06", "2024-02-07", "2024-02-08", "soon"}),
            "", "line 11, column 'x': 'soon' stands among dates or times"},
           {"dates as text",
            Column({"3/4/2024", "5/6/2024"}),
            "x text 4 > y gaussian",
            "",
            {.text = {"x"}}},
           {"dates as a target", Target({"2024-01-31", "2024-02-01"}), "",
            "the target 'y' has dates or times, such as '2024-01-31': predict a number or a class"},
           {"dates without doubt as numbers", Column({"20240131", "20240201"}), "x > y gaussian"},
       }) {
    Check(torture);
  }
}

TEST(CsvTortureTest, TextAndRepetition) {
  const auto wide = [](std::size_t i) { return "id" + Number(i) + "," + Number(i) + ".5"; };
  const auto ids = [](std::size_t i) { return "k" + Number(i % 5'000) + "," + Number(i) + ".5"; };
  for (const Torture& torture : std::vector<Torture>{
           {"few texts", Column({"red", "blue", "red"}), "x text 4 > y gaussian"},
           {"no text is a text", Column({"red", "", "NA"}), "x text 5 > y gaussian"},
           {"booleans", Column({"true", "false"}), "x text 4 > y gaussian"},
           {"sixty texts", Rows("x,y", 60, wide), "x text 67 > y gaussian"},
           {"as many as have a column", Rows("x,y", 256, wide), "x text 256 > y gaussian"},
           {"a hundred thousand", Rows("x,y", 100'000, wide), "x text 256 hash 64 > y gaussian",
            "different texts, in most rows one of their own: the first 256 get a column each, all "
            "others are hashed into 64"},
           {"many, and often", Rows("x,y", 20'000, ids), "x text 256 hash 64 > y gaussian",
            "different texts: the first 256 get a column each, all others are hashed into 64, "
            "which "
            "they share; --ignore"},
           {"constant", Column({"7", "7", "7"}), "x > y gaussian",
            "column 'x' is '7' in every row; --ignore leaves it out"},
           {"always empty", "x,e,n,y\n1,,NA,0.5\n2,,,1.5\n", "x > y gaussian",
            "column 'e' is always empty: left out"},
           {"all empty", "x,y\n,0.5\n,1.5\n", "", "no input column is left"},
           {"a column twice", "a,b,y\n1,1,0.5\n2,2,1.5\n", "a, b > y gaussian",
            "column 'b' is the same as 'a' in every row; --ignore leaves it out"},
           {"the target twice", "x,z,y\n1,0.5,0.5\n2,1.5,1.5\n", "x, z > y gaussian",
            "column 'z' is the target in every row and gives it away"},
           {"a name that looks like a date's", "x:date,y\n1,0.5\n2,1.5\n", "x:date > y gaussian"},
       }) {
    Check(torture);
  }
  std::string header = "y", first = "0.5", second = "1.5";
  for (std::size_t i = 0; i < 500; ++i) {
    header += ",e" + Number(i);
    first += ",";
    second += i == 0 ? ",7" : ",";
  }
  Check({"five hundred empty columns", header + "\n" + first + "\n" + second + "\n",
         "e0? > y gaussian", "and 480 notes like these"});
}

TEST(CsvTortureTest, Targets) {
  const std::vector<std::string> six = {"3", "4", "5", "6", "7", "8"};
  std::vector<std::string> hundred;
  for (std::size_t i = 0; i < 101; ++i) hundred.push_back("t" + Number(i));
  for (const Torture& torture : std::vector<Torture>{
           {"numbers", Target({"0.5", "1.5"}), "x > y gaussian", "2 distinct values: likelihood"},
           {"0 and 1", Target({"0", "1"}), "x > y bernoulli", "likelihood bernoulli"},
           {"yes and no", Target({"yes", "no"}), "x > y bernoulli no yes",
            "a third label will be refused (--likelihood categorical has room for one)"},
           {"yes and no, and more",
            Target({"yes", "no"}, 9),
            "x > y categorical of 3",
            "",
            {.likelihood = "categorical"}},
           {"labels", Target({"a", "b", "c"}, 9), "x > y categorical of 4",
            "with room for 1 new label (--labels lists them instead, and refuses others)"},
           {"rare labels", Target({"a", "a", "b", "b", "c", "d"}), "x > y categorical of 7",
            "with room for 3 new labels"},
           {"labels that were listed",
            Target({"a", "b", "c"}, 9),
            "x > y categorical",
            "",
            {.labels = {"a", "b", "c", "d"}}},
           {"labels, some numbers", Target({"1", "2", "3a"}, 9), "x > y categorical 1 2 3a"},
           {"six whole numbers", Target(six, 5), "x > y categorical 3 4 5 6 7 8",
            "has 6 distinct values: likelihood categorical; as values they are learned with "
            "--likelihood gaussian, as counts with poisson or negative_binomial"},
           {"six whole numbers, once", Target(six), "x > y gaussian",
            "as classes they are learned with --likelihood categorical, as counts with poisson"},
           {"signed ones", Target({"-1", "0", "1"}, 5), "x > y categorical -1 0 1",
            "as values they are learned with --likelihood gaussian"},
           {"numbers of classes", Target({"0", "1", "2"}, 5), "x > y categorical of 3"},
           {"as said", Target(six, 5), "x > y poisson", "", {.likelihood = "poisson"}},
           {"a gap", Target({"0.5", "", "NA"}), "x > y gaussian?"},
           {"a gap between labels", Target({"a", "b", "c", "", "NA"}, 9), "x > y categorical? of 4",
            "'NA' (9 rows, the first in line 6) means not known, unless --labels lists it"},
           {"no value", Target({"", "NA"}), "", "the target 'y' has no value in any row"},
           {"one value", Target({"a", "a"}), "", "has one value in every row: 'a'"},
           {"too many texts", Target(hundred), "", "has more than 100 distinct values; name a"},
           {"thousands", Target({"1,234", "5,678", "9"}), "",
            "line 2, column 'y': '1,234' has a separator of thousands: write 1234; a target that "
            "is "
            "not known is an empty cell"},
           {"infinite", Target({"0.5", "-inf"}), "", "line 3, column 'y': '-inf' is infinite"},
           {"text under poisson",
            Target({"3", "high"}),
            "",
            "the target 'y' has 'high' in line 3, which is no number, and likelihood poisson",
            {.likelihood = "poisson"}},
           {"a label too long", Target({"a", std::string(2000, 'b')}), "",
            "has a text of more than 1024 bytes in line 3: too long for a label"},
       }) {
    Check(torture);
  }
}

}  // namespace
}  // namespace prequel::client::csv_torture_test
