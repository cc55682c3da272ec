#include "client/data/csv_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/client/temporary_file.h"

namespace prequel::client::csv_reader_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Every record of a file with this content; the first error ends the list.
struct Parsed {
  absl::Status status;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::int64_t> lines;
};

Parsed ParseFile(const std::string& path, CsvHeader header = CsvHeader::kGuess) {
  Parsed parsed;
  absl::StatusOr<std::unique_ptr<CsvReader>> reader = CsvReader::Open(path, header);
  parsed.status = reader.status();
  if (!reader.ok()) return parsed;
  parsed.header = (*reader)->header();
  CsvRow row;
  for (;;) {
    absl::StatusOr<bool> more = (*reader)->Next(&row);
    parsed.status = more.status();
    if (!more.ok() || !*more) return parsed;
    parsed.rows.push_back(row.cells);
    parsed.lines.push_back(row.line);
  }
}

Parsed Parse(const std::string& content) { return ParseFile(TemporaryFile(content).path()); }

std::string Message(const Parsed& parsed) { return std::string(parsed.status.message()); }

void WriteGzip(const std::string& path, const std::string& content) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
}

TEST(CsvReaderTest, ReadsHeaderAndRows) {
  const Parsed parsed = Parse("a,b\n1,2\n3,4\n");
  ASSERT_TRUE(parsed.status.ok()) << parsed.status;
  EXPECT_THAT(parsed.header, ElementsAre("a", "b"));
  EXPECT_THAT(parsed.rows, ElementsAre(ElementsAre("1", "2"), ElementsAre("3", "4")));
  EXPECT_THAT(parsed.lines, ElementsAre(2, 3));
}

TEST(CsvReaderTest, LineEndsMayBeCrlfOrCrAndTheLastMayBeMissing) {
  for (const char* content : {"a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4", "a,b\n1,2\n3,4"}) {
    const Parsed parsed = Parse(content);
    ASSERT_TRUE(parsed.status.ok()) << parsed.status;
    EXPECT_THAT(parsed.rows, ElementsAre(ElementsAre("1", "2"), ElementsAre("3", "4")));
    EXPECT_THAT(parsed.lines, ElementsAre(2, 3));
  }
}

TEST(CsvReaderTest, ByteOrderMarkIsNotPartOfTheFirstName) {
  EXPECT_THAT(Parse("\xEF\xBB\xBF"
                    "a,b\n")
                  .header,
              ElementsAre("a", "b"));
  EXPECT_THAT(Parse("\xEF\xBB\xBF\"a\",b\n").header, ElementsAre("a", "b"));
}

TEST(CsvReaderTest, CellsThatAreNotUtf8NameTheirLine) {
  EXPECT_EQ(Parse("a,b\nMünchen,1\n").rows[0][0], "München");
  const Parsed latin = Parse("a,b\nBerlin,1\nM\xFCnchen,2\n");
  EXPECT_EQ(latin.rows.size(), 1u);
  EXPECT_TRUE(absl::IsInvalidArgument(latin.status));
  EXPECT_THAT(Message(latin), HasSubstr("line 3, column 'a': 'M\\xFCnchen' is not UTF-8"));
  EXPECT_THAT(Message(Parse("\"M\xC3\",y\n")), HasSubstr("line 1, column 1: "));
  EXPECT_THAT(Message(Parse("\xBF"
                            "a,b\n")),
              HasSubstr("line 1, column 1: "))
      << "a part of a byte order mark is none";
}

TEST(CsvReaderTest, NamesAreTrimmed) {
  EXPECT_THAT(Parse(" a,\tb , \n1,2,3\n").header, ElementsAre("a", "b", ""));
  EXPECT_THAT(Message(Parse("a, a\n")), HasSubstr("both named 'a'"));
}

TEST(CsvReaderTest, AFirstRecordOfDataIsRefusedUnlessItIsSaidWhatItIs) {
  const TemporaryFile iris("5.1,3.5,Iris-setosa\n4.9,3.0,Iris-setosa\n");
  const Parsed guessed = ParseFile(iris.path());
  EXPECT_THAT(Message(guessed), HasSubstr("line 1: looks like data"));
  EXPECT_THAT(Message(guessed), HasSubstr("'5.1,3.5,Iris-setosa'; --no-header"));
  const Parsed absent = ParseFile(iris.path(), CsvHeader::kAbsent);
  ASSERT_TRUE(absent.status.ok()) << absent.status;
  EXPECT_THAT(absent.header, ElementsAre("c1", "c2", "c3"));
  EXPECT_THAT(absent.rows, ElementsAre(ElementsAre("5.1", "3.5", "Iris-setosa"),
                                       ElementsAre("4.9", "3.0", "Iris-setosa")));
  EXPECT_THAT(absent.lines, ElementsAre(1, 2));
  const Parsed present = ParseFile(iris.path(), CsvHeader::kPresent);
  EXPECT_THAT(present.header, ElementsAre("5.1", "3.5", "Iris-setosa"));
}

TEST(CsvReaderTest, WhatLooksLikeData) {
  EXPECT_TRUE(LooksLikeData({"5.1", "3.5", "1.4", "0.2", "setosa"}));
  EXPECT_TRUE(LooksLikeData({"39", "State-gov", "77516", "Bachelors", "13", "Male"}));
  EXPECT_TRUE(LooksLikeData({"-1"}));
  EXPECT_TRUE(LooksLikeData({"2024-01-01", "open", "high", ""}));
  EXPECT_FALSE(LooksLikeData({"a", "b", "c", "d", "7.5"})) << "one odd name";
  EXPECT_FALSE(LooksLikeData({"0", "1", "2", "label"})) << "what pandas calls its columns";
  EXPECT_FALSE(LooksLikeData({"country", "2019", "2020", "2021"}));
  EXPECT_FALSE(LooksLikeData({"", "x1", "nan", "inf"}));
}

TEST(CsvReaderTest, OtherSeparatorsAndEncodingsAreNamed) {
  EXPECT_THAT(Message(Parse("a;b\n1,5;2,5\n")),
              HasSubstr("line 1: the cells seem to be separated by ';'"));
  EXPECT_THAT(Message(Parse("a\tb\n1\t2\n")), HasSubstr("separated by '\\t'"));
  EXPECT_TRUE(ParseFile(TemporaryFile("a;b\n1\n").path(), CsvHeader::kPresent).status.ok());
  EXPECT_THAT(Message(Parse(std::string("\xFF\xFE"
                                        "a\0,\0b\0\n\0",
                                        10))),
              HasSubstr("is UTF-16: convert"));
  EXPECT_THAT(Message(Parse(std::string("a\0,\0b\0\n\0", 8))),
              HasSubstr("line 1, column 1: a NUL byte"));
  EXPECT_THAT(Message(Parse(std::string("a,b\n1,2\0\n", 9))),
              HasSubstr("line 2, column 'b': a NUL byte"));
}

TEST(CsvReaderTest, WhatARecordMayHoldIsBounded) {
  EXPECT_THAT(Message(Parse("a\n" + std::string((16 << 20) + 1, 'x'))),
              HasSubstr("line 2, column 'a': the cell exceeds 16 MiB"));
  EXPECT_THAT(Message(Parse(std::string(1 << 20, ','))), HasSubstr("line 1: more than 1,048,576"));
}

TEST(CsvReaderTest, QuotedCells) {
  const Parsed parsed = Parse("a,b\n\"x,\"\"y\"\"\",\"two\nlines\"\n\"\",z\n");
  ASSERT_TRUE(parsed.status.ok()) << parsed.status;
  EXPECT_THAT(parsed.rows, ElementsAre(ElementsAre("x,\"y\"", "two\nlines"), ElementsAre("", "z")));
  EXPECT_THAT(parsed.lines, ElementsAre(2, 4));
}

TEST(CsvReaderTest, EmptyCellsAreKept) {
  EXPECT_THAT(Parse("a,b,c\n,,\n1,,\n").rows,
              ElementsAre(ElementsAre("", "", ""), ElementsAre("1", "", "")));
}

TEST(CsvReaderTest, BlankLinesAreIgnoredUnlessTheyAreTheOnlyColumnsValue) {
  const Parsed two = Parse("a,b\n\n1,2\n  \n");
  EXPECT_THAT(two.rows, ElementsAre(ElementsAre("1", "2")));
  EXPECT_THAT(two.lines, ElementsAre(3));
  EXPECT_THAT(Parse("a\n1\n\n2\n").rows,
              ElementsAre(ElementsAre("1"), ElementsAre(""), ElementsAre("2")));
}

TEST(CsvReaderTest, RaggedRowsNameLineAndCounts) {
  const Parsed few = Parse("a,b,c\n1,2,3\n1,2\n");
  EXPECT_EQ(few.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(few), HasSubstr("line 3: expected 3 cells as in the header, found 2"));
  EXPECT_EQ(few.rows.size(), 1);
  EXPECT_THAT(Message(Parse("a,b\n1,2,3\n")),
              HasSubstr("line 2: expected 2 cells as in the header, found 3 (a cell with a comma"));
}

TEST(CsvReaderTest, EmptyFileAndHeaderOnly) {
  EXPECT_THAT(Message(Parse("")), HasSubstr("is empty"));
  EXPECT_THAT(Message(Parse("\n\n")), HasSubstr("is empty"));
  const Parsed header_only = Parse("a,b\n");
  EXPECT_TRUE(header_only.status.ok());
  EXPECT_TRUE(header_only.rows.empty());
}

TEST(CsvReaderTest, RepeatedNamesAreRefused) {
  EXPECT_THAT(Message(Parse("a,b,a\n")), HasSubstr("line 1: columns 1 and 3 are both named 'a'"));
}

TEST(CsvReaderTest, BadQuotesNameTheirLine) {
  EXPECT_THAT(Message(Parse("a,b\n1,2\n\"open,3\n4,5\n")),
              HasSubstr("line 3, column 'a': a quote is never"));
  EXPECT_THAT(Message(Parse("a,b\n\"x\"y,2\n")), HasSubstr("line 2, column 'a': text follows"));
}

TEST(CsvReaderTest, MissingFileAndDirectory) {
  EXPECT_EQ(ParseFile("/nonexistent.csv").status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(ParseFile("/tmp")), HasSubstr("is a directory"));
}

TEST(CsvReaderTest, ReadsGzipByContent) {
  const TemporaryFile file;
  WriteGzip(file.path(), "a,b\n1,2\n");
  EXPECT_THAT(ParseFile(file.path()).rows, ElementsAre(ElementsAre("1", "2")));
}

TEST(CsvReaderTest, ReadsConcatenatedGzipMembers) {
  const TemporaryFile first, second, both;
  WriteGzip(first.path(), "a,b\n1,2\n");
  WriteGzip(second.path(), "3,4\n");
  std::ofstream(both.path(), std::ios::binary)
      << std::ifstream(first.path()).rdbuf() << std::ifstream(second.path()).rdbuf();
  EXPECT_THAT(ParseFile(both.path()).rows,
              ElementsAre(ElementsAre("1", "2"), ElementsAre("3", "4")));
}

TEST(CsvReaderTest, DamagedGzipIsAnError) {
  std::string content = "a,b\n";
  for (int i = 0; i < 2'000; ++i) content += std::to_string(i * 7919 % 10007) + ",2\n";
  const TemporaryFile file;
  WriteGzip(file.path(), content);
  std::fstream damaged(file.path(), std::ios::in | std::ios::out | std::ios::binary);
  damaged.seekp(1000).write("damage", 6).flush();
  EXPECT_EQ(ParseFile(file.path()).status.code(), absl::StatusCode::kDataLoss);
}

// A pipe that stays open: rows must come out as they go in.
TEST(CsvReaderTest, RowsOfAPipeComeAtOnce) {
  const TemporaryFile place;
  const std::string path = place.path() + ".fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int writer = open(path.c_str(), O_RDWR);
  ASSERT_EQ(write(writer, "a,b\n1,2\n", 8), 8);
  absl::StatusOr<std::unique_ptr<CsvReader>> reader = CsvReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  CsvRow row;
  ASSERT_TRUE(*(*reader)->Next(&row));
  EXPECT_THAT(row.cells, ElementsAre("1", "2"));
  EXPECT_FALSE((*reader)->progress().has_value());
  close(writer);
  unlink(path.c_str());
}

TEST(CsvReaderTest, TruncatedGzipIsAnErrorNotAShortFile) {
  std::string content = "a,b\n";
  for (int i = 0; i < 20'000; ++i) content += std::to_string(i * 7919 % 10007) + ",2\n";
  const TemporaryFile file;
  WriteGzip(file.path(), content);
  std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) / 2);
  const Parsed parsed = ParseFile(file.path());
  EXPECT_EQ(parsed.status.code(), absl::StatusCode::kDataLoss) << parsed.status;
}

TEST(CsvReaderTest, CellsAcrossBufferBoundaries) {
  const std::string longest(300'000, 'x');  // longer than the reader's buffer
  const Parsed parsed = Parse("a,b\n" + longest + ",\"" + longest + "\"\n1,2\n");
  ASSERT_EQ(parsed.rows.size(), 2);
  EXPECT_EQ(parsed.rows[0][0], longest);
  EXPECT_EQ(parsed.rows[0][1], longest);
}

TEST(CsvReaderTest, ProgressReachesTheEnd) {
  const TemporaryFile file("a\n1\n2\n");
  absl::StatusOr<std::unique_ptr<CsvReader>> reader = CsvReader::Open(file.path());
  ASSERT_TRUE(reader.ok());
  CsvRow row;
  while (*(*reader)->Next(&row)) {
  }
  EXPECT_DOUBLE_EQ(*(*reader)->progress(), 1.0);
}

}  // namespace
}  // namespace prequel::client::csv_reader_test
