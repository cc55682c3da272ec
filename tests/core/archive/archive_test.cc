#include "core/archive/archive.h"

#include <bit>
#include <cstddef>
#include <limits>

#include "core/encoding/state_archive.h"
#include "core/random/philox.h"
#include "core/scores/evaluation.h"
#include "gtest/gtest.h"

namespace prequel::archive_test {

// Every kind of field there is.
struct Inner {
  std::string name;
  std::vector<std::int64_t> numbers;
  bool operator==(const Inner&) const = default;
};

struct Nothing {
  bool operator==(const Nothing&) const = default;
};

struct Everything {
  bool flag = false;
  std::uint8_t small = 0;
  std::int32_t medium = 0;
  std::uint64_t large = 0;
  double real = 0;
  std::string text;
  Vector vector;
  Matrix matrix, triangle;
  std::array<double, 3> triple{};
  std::vector<Inner> inners;
  std::optional<double> present, absent;
  std::variant<Nothing, double, std::string> choice;
};

template <class A>
void Archive(A&, Field<A, Nothing>&) {}

template <class A>
void Archive(A& a, Field<A, Inner>& s) {
  a.Value("name", s.name);
  a.Value("numbers", s.numbers);
}

template <class A>
void Archive(A& a, Field<A, Everything>& s) {
  a.Value("flag", s.flag);
  a.Value("small", s.small);
  a.Value("medium", s.medium);
  a.Value("large", s.large);
  a.Value("real", s.real);
  a.Value("text", s.text);
  a.Value("vector", s.vector);
  a.Value("matrix", s.matrix);
  a.LowerTriangle("triangle", s.triangle);
  a.Value("triple", s.triple);
  a.Value("inners", s.inners);
  a.Value("present", s.present);
  a.Value("absent", s.absent);
  a.Value("choice", s.choice);
}

namespace {

constexpr std::string_view kMagic = "PREQUELT";

Everything Sample() {
  Everything s;
  s.flag = true;
  s.small = 200;
  s.medium = -7;
  s.large = std::numeric_limits<std::uint64_t>::max();
  s.real = -0.0;
  s.text = std::string("a\0b", 3);
  s.vector = Vector::LinSpaced(5, 0, 1);
  s.matrix = Matrix::Random(3, 4);
  s.triangle = Matrix::Random(4, 4);
  s.triple = {1, -2, 3e-310};
  s.inners = {{"one", {1, 2, 3}}, {"", {}}};
  s.present = 2.5;
  s.absent.reset();
  s.choice = "words";
  return s;
}

TEST(Archive, EveryKindOfFieldComesBack) {
  const Everything s = Sample();
  const std::string bytes = ToArchive(s);
  Everything t;
  t.absent = 3;
  ASSERT_TRUE(FromArchive(bytes, t).ok()) << FromArchive(bytes, t);
  EXPECT_EQ(t.flag, s.flag);
  EXPECT_EQ(t.small, s.small);
  EXPECT_EQ(t.medium, s.medium);
  EXPECT_EQ(t.large, s.large);
  EXPECT_TRUE(std::signbit(t.real));
  EXPECT_EQ(t.text, s.text);
  EXPECT_EQ(t.vector, s.vector);
  EXPECT_EQ(t.matrix, s.matrix);
  EXPECT_EQ(t.triangle, Matrix(s.triangle.triangularView<Eigen::Lower>()));
  EXPECT_EQ(t.triple, s.triple);
  EXPECT_EQ(t.inners, s.inners);
  EXPECT_EQ(t.present, s.present);
  EXPECT_EQ(t.absent, s.absent);
  EXPECT_EQ(t.choice, s.choice);
  EXPECT_EQ(ToArchive(t), bytes);
}

TEST(Archive, BytesAreLittleEndianAndUnpadded) {
  Matrix matrix(2, 1);
  matrix << 1, -2;
  const std::string expected(
      "\2\0\0\0\0\0\0\0"
      "\1\0\0\0\0\0\0\0"
      "\0\0\0\0\0\0\xf0\x3f"
      "\0\0\0\0\0\0\0\xc0",
      32);
  EXPECT_EQ(ToArchive(matrix), expected);
  EXPECT_EQ(ToArchive(std::string("ab")), std::string("\2\0\0\0\0\0\0\0ab", 10));
  EXPECT_EQ(ToArchive(std::int32_t{-2}), std::string("\xfe\xff\xff\xff"));
  EXPECT_EQ(ToArchive(true), std::string("\1"));
}

TEST(Archive, WhatIsAboveTheTriangleDoesNotMatter) {
  Everything s = Sample(), t = s;
  t.triangle(0, 3) = 17;
  EXPECT_EQ(ToArchive(s), ToArchive(t));
}

TEST(Archive, BitsOfNaNSurvive) {
  const std::uint64_t bits = 0x7ff4dead00c0ffee;
  Vector v(2);
  v << std::bit_cast<double>(bits), 1;
  Vector w;
  ASSERT_TRUE(FromArchive(ToArchive(v), w).ok());
  EXPECT_EQ(std::bit_cast<std::uint64_t>(w[0]), bits);
}

TEST(Archive, EveryTruncationIsDataLoss) {
  const std::string bytes = ToArchive(Sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Everything t;
    EXPECT_EQ(FromArchive(std::string_view(bytes).substr(0, size), t).code(),
              absl::StatusCode::kDataLoss)
        << size;
  }
  Everything t;
  EXPECT_EQ(FromArchive(bytes + "x", t).message(), "1 bytes are left over");
}

// A flipped bit may give another value, but never a crash, and what is read writes itself again.
TEST(Archive, FlippedBitsNeverCrash) {
  const std::string bytes = ToArchive(Sample());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    Everything t;
    if (FromArchive(flipped, t).ok()) {
      EXPECT_EQ(ToArchive(t), flipped) << bit;
    }
  }
}

TEST(Archive, NoiseNeverCrashes) {
  std::uint32_t index = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    for (int i = 0; i < round % 97; ++i) {
      // Mostly zeros, so that lengths are often believable.
      const std::uint32_t word = Philox({++index, 0, 0, 0}, {1, 2})[0];
      bytes += word % 4 == 0 ? static_cast<char>(word >> 24) : '\0';
    }
    Everything t;
    EncoderState e;
    TargetState s;
    (void)FromArchive(bytes, t);
    (void)FromArchive(bytes, e);
    (void)FromArchive(bytes, s);
  }
}

template <class T>
absl::Status ReadLengths(std::initializer_list<std::uint64_t> lengths) {
  ArchiveWriter writer;
  for (const std::uint64_t length : lengths) writer.Value("", length);
  T value;
  return FromArchive(std::move(writer).Take(), value);
}

TEST(Archive, LengthsAreNotBelieved) {
  for (const std::uint64_t length :
       {std::uint64_t{1}, std::uint64_t{1} << 31, std::uint64_t{1} << 33, std::uint64_t{1} << 61,
        ~std::uint64_t{0}}) {
    EXPECT_FALSE(ReadLengths<Vector>({length}).ok());
    EXPECT_FALSE(ReadLengths<std::string>({length}).ok());
    EXPECT_FALSE(ReadLengths<std::vector<double>>({length}).ok());
    EXPECT_FALSE(ReadLengths<std::vector<Inner>>({length}).ok());
    EXPECT_FALSE(ReadLengths<Matrix>({length, length}).ok());
    EXPECT_FALSE(ReadLengths<Matrix>({length, 2}).ok());
  }
  EXPECT_TRUE(ReadLengths<Matrix>({3, 0}).ok());
  EXPECT_FALSE(ReadLengths<Matrix>({~std::uint64_t{0}, 0}).ok());
  ArchiveWriter writer;
  writer.Value("", std::uint64_t{1} << 32);
  const std::string bytes = std::move(writer).Take();
  ArchiveReader reader(bytes);
  Matrix triangle;
  reader.LowerTriangle("triangle", triangle);
  EXPECT_FALSE(reader.Finish().ok());
}

TEST(Archive, TheFirstTroubleNamesItsFieldAndStays) {
  std::string bytes = ToArchive(Sample());
  bytes[0] = 2;
  Everything t;
  EXPECT_EQ(FromArchive(bytes, t).message(), "flag: is neither true nor false");
  ArchiveReader reader(std::string_view(bytes).substr(0, 3));
  double real = 7;
  reader.Value("real", real);
  std::uint8_t byte = 9;
  reader.Value("byte", byte);
  EXPECT_EQ(real, 7);
  EXPECT_EQ(byte, 9);
  EXPECT_EQ(reader.Finish().message(), "real: needs 1 × 8 bytes, 3 are left");
}

TEST(Archive, NestedFieldsAreNamedByTheirPath) {
  const std::vector<Inner> inners = {{"one", {1, 2, 3}}};
  const std::string bytes = ToArchive(inners);
  std::vector<Inner> read;
  const absl::Status status =
      FromArchive(std::string_view(bytes).substr(0, bytes.size() - 1), read);
  EXPECT_EQ(status.message(), "numbers: needs 3 × 8 bytes, 23 are left");
}

TEST(Archive, UnknownAlternativeIsDataLoss) {
  std::variant<double, std::string> value = 1.0;
  std::string bytes = ToArchive(value);
  bytes[0] = 2;
  EXPECT_EQ(FromArchive(bytes, value).code(), absl::StatusCode::kDataLoss);
}

EncoderState LearnedInputs() {
  const std::vector<FeatureConfig> features = {
      {.name = "x", .width = 2},
      {.name = "c", .kind = FeatureConfig::Kind::kCategorical, .max_categories = 3}};
  const Encoder encoder = *Encoder::Create(features, Standardize::kRunning);
  Batch batch;
  batch.inputs = Matrix::Random(2, 3);
  batch.text = {{"a", "", "b"}};
  EncoderState state = encoder.Initial();
  encoder.Absorb(batch, state);
  return state;
}

TEST(Archive, EncoderState) {
  const EncoderState s = LearnedInputs();
  const std::string bytes = ToArchive(s);
  EncoderState t;
  ASSERT_TRUE(FromArchive(bytes, t).ok());
  EXPECT_EQ(t.moments.mean, s.moments.mean);
  EXPECT_EQ(t.tables[0]->values(), s.tables[0]->values());
  EXPECT_EQ(t.tables[0]->Find("b"), 2);
  EXPECT_EQ(ToArchive(t), bytes);
}

TEST(Archive, ATableWithAValueTwiceIsDataLoss) {
  ArchiveWriter writer;
  writer.Value("values", std::vector<std::string>{"a", "a"});
  SharedTable table;
  const absl::Status status = FromArchive(std::move(writer).Take(), table);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(status.message(), "values: value \"a\" twice");
}

TEST(Archive, TargetState) {
  TargetState s;
  s.moments = LearnedInputs().moments;
  s.labels = LearnedInputs().tables[0];
  s.integers = true;
  const std::string bytes = ToArchive(s);
  TargetState t;
  ASSERT_TRUE(FromArchive(bytes, t).ok());
  EXPECT_EQ(t.labels->values(), s.labels->values());
  EXPECT_TRUE(t.integers);
  EXPECT_EQ(ToArchive(t), bytes);
}

TEST(Seal, OpensWhatItSealed) {
  for (const std::string& body : {std::string(), std::string("x"), ToArchive(Sample())}) {
    const std::string sealed = Seal(body, kMagic, 3);
    EXPECT_EQ(sealed.size(), body.size() + kSealBytes);
    const absl::StatusOr<std::string_view> opened = Open(sealed, kMagic, 3);
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_EQ(*opened, body);
  }
}

TEST(Seal, EveryFlippedBitAndEveryTruncationIsAnError) {
  const std::string sealed = Seal("some state", kMagic, 3);
  for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    std::string flipped = sealed;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(Open(flipped, kMagic, 3).ok()) << bit;
  }
  for (std::size_t size = 0; size < sealed.size(); ++size) {
    EXPECT_FALSE(Open(sealed.substr(0, size), kMagic, 3).ok()) << size;
  }
  EXPECT_FALSE(Open(sealed + "x", kMagic, 3).ok());
}

TEST(Seal, TroublesAreToldApart) {
  const std::string sealed = Seal("some state", kMagic, 3);
  const auto problem = [](std::string_view bytes, std::uint32_t version) {
    return std::string(Open(bytes, kMagic, version).status().message());
  };
  EXPECT_EQ(problem("PREQUELX and more of the same", 3),
            "archive: does not begin with the expected magic");
  EXPECT_EQ(problem(sealed.substr(0, 20), 3),
            "archive: truncated, 20 bytes are less than its head");
  EXPECT_EQ(problem(sealed, 4), "archive: version 3, this build reads version 4");
  EXPECT_EQ(Open(sealed, kMagic, 4).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(problem(sealed.substr(0, 30), 3), "archive: truncated, holds 6 bytes of 10");
  EXPECT_EQ(problem(sealed + "x", 3), "archive: long, holds 11 bytes of 10");
  std::string damaged = sealed;
  damaged.back() ^= 1;
  EXPECT_EQ(problem(damaged, 3), "archive: checksum mismatch");
}

TEST(Archive, ACounterReckonsWhatAWriterWrites) {
  const auto write = [](ArchiveWriter& writer) {
    writer.Value("number", 7);
    writer.Value("text", std::string("seven"));
    writer.Value("vector", Vector(Vector::LinSpaced(5, 0, 1)));
    writer.Value("matrix", Matrix(Matrix::Ones(3, 2)));
    writer.LowerTriangle("triangle", Matrix(Matrix::Identity(4, 4)));
    writer.Value("list", std::vector<std::int64_t>{1, 2, 3});
  };
  ArchiveWriter counter = ArchiveWriter::Counter(), writer;
  write(counter);
  write(writer);
  const std::size_t size = writer.size();
  EXPECT_EQ(counter.size(), size);
  EXPECT_EQ(std::move(counter).Take(), "");
  EXPECT_EQ(std::move(writer).Take().size(), size);
}

TEST(Archive, FloatsAreTheNearestToTheDoubles) {
  const Vector values{{0.1, -1.0 / 3, 1e-20, 16777217}};
  ArchiveWriter writer(Storage::kFloat32, "what was here before");
  writer.Value("", values);
  const std::string bytes = std::move(writer).Take();
  EXPECT_EQ(bytes.size(), 8 + 4 * 4u);
  ArchiveReader reader(bytes, Storage::kFloat32);
  Vector read;
  reader.Value("", read);
  ASSERT_TRUE(reader.Finish().ok());
  ASSERT_EQ(read.size(), values.size());
  for (Index i = 0; i < values.size(); ++i) {
    EXPECT_EQ(read[i], static_cast<double>(static_cast<float>(values[i])));
  }
  ArchiveReader cut(std::string_view(bytes).substr(0, bytes.size() - 1), Storage::kFloat32);
  cut.Value("", read);
  EXPECT_EQ(cut.Finish().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace prequel::archive_test
