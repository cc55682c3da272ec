// fuzz_seeds FOLDER: writes the seed corpora of every target, made of what the service itself sends
// and stores, into FOLDER/TARGET, and the dictionary of config beside them. Inputs that were added
// for a bug found stay as they are.
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/output/proto_json.h"
#include "client/make_tensor.h"
#include "core/config/field_error.h"
#include "prequel/v1/learning_service.pb.h"
#include "prequel/v1/model_service.pb.h"
#include "server/engine/fold/ledger.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/fold/status_codec.h"
#include "server/engine/history/model_file.h"
#include "server/rpc/models/page_token.h"
#include "server/storage/log_record.h"
#include "server/storage/model_record.h"
#include "server/storage/snapshot_record.h"
#include "server/wire/config.h"
#include "tests/fuzz/capture_bytes.h"
#include "tests/fuzz/folding.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/learners.h"

namespace prequel::fuzz {
namespace {

// Of one target: its files are numbered in the order of writing.
class Corpus {
 public:
  explicit Corpus(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
  }

  void Add(std::string_view bytes) {
    char name[16];
    std::snprintf(name, sizeof(name), "seed_%02d", next_++);
    std::ofstream file(folder_ / name, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    Require(file.good(), "the file is written", name);
  }

 private:
  const std::filesystem::path folder_;
  int next_ = 0;
};

std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes.push_back(static_cast<char>(value));
  return bytes;
}

v1::Batch ToProto(const Batch& batch) {
  v1::Batch proto;
  const auto tensor = [](const Matrix& matrix) {
    return client::MakeTensor({matrix.data(), matrix.data() + matrix.size()},
                              {matrix.cols(), matrix.rows()}, v1::Tensor::DTYPE_FLOAT32);
  };
  *proto.mutable_inputs() = tensor(batch.inputs);
  if (batch.targets.size() > 0) *proto.mutable_targets() = tensor(batch.targets);
  for (const std::vector<std::string>& column : batch.text) {
    proto.add_text()->mutable_values()->Assign(column.begin(), column.end());
  }
  proto.mutable_labels()->Assign(batch.labels.begin(), batch.labels.end());
  return proto;
}

// After two minibatches of a producer, one of them refused, and one of a request.
ModelFold Learned(const std::shared_ptr<const Learner>& learner) {
  ModelFold fold(learner);
  Scratch scratch;
  (void)Learn(fold, {"p", 1}, SampleBatch(*learner, 1), scratch);
  Refuse(fold, {"p", 2}, FieldError("batch.inputs", "is odd"));
  (void)Learn(fold, {"id", 0}, SampleBatch(*learner, 2), scratch);
  return fold;
}

// Bodies without their seals.
std::string LedgerBody(const ModelFold& fold) {
  return fold.part<Ledger>().Encode().substr(kSealBytes);
}
std::string StateBody(const ModelFold& fold) {
  return fold.learner()->EncodeState(*fold.current().state).substr(kSealBytes + 8);
}

void WriteSnapshots(Corpus corpus) {
  for (std::size_t i = 0; i < Learners().size(); ++i) {
    const ModelFold fold = Learned(LearnerOf(i));
    corpus.Add(Bytes({0, static_cast<int>(i)}) + PartOf(LedgerBody(fold)) + StateBody(fold));
  }
  const ModelFold fold(LearnerOf(3));
  corpus.Add(Bytes({1, 3}) + CaptureBytes(fold.part<Ledger>().Encode(),
                                          fold.learner()->EncodeState(*fold.current().state)));
}

void WriteImports(Corpus corpus) {
  for (const int i : {0, 1, 10, 14}) {
    const ModelFold fold = Learned(LearnerOf(static_cast<std::size_t>(i)));
    const std::string bodies = PartOf(LedgerBody(fold)) + StateBody(fold);
    corpus.Add(Bytes({1, i, 9, 2}) + bodies);
    corpus.Add(Bytes({2, i, 9, 2}) + PartOf(wire::ConfigToBytes(fold.learner()->config())) +
               bodies);
    ModelFileWriter writer(
        {.revision = 2,
         .create_time_us = 5,
         .build = "build",
         .config = wire::ConfigToBytes(fold.learner()->config()),
         .body = CaptureBytes(fold.part<Ledger>().Encode(),
                              fold.learner()->EncodeState(*fold.current().state))});
    std::string file = Bytes({0, i, 9});
    for (std::string piece = writer.Next(); !piece.empty(); piece = writer.Next()) file += piece;
    corpus.Add(file);
  }
}

// A record's value without its checksum.
std::string Unsealed(const LogRecord& record) {
  return FrameRecord(record).head + std::string(record.payload);
}

void WriteRecords(Corpus corpus) {
  for (const int i : {0, 1, 6}) {
    const std::shared_ptr<const Learner>& learner = LearnerOf(static_cast<std::size_t>(i));
    const std::string minibatch = ToProto(SampleBatch(*learner, 1)).SerializeAsString();
    corpus.Add(
        Bytes({0, i}) +
        Unsealed({.type = Minibatch::kType, .producer = "p", .sequence = 1, .payload = minibatch}));
    const std::string state = learner->EncodeState(*Learned(learner).current().state);
    corpus.Add(Bytes({0, i}) + Unsealed({.type = Rollback::kType, .payload = state}));
  }
  const std::string refusal = EncodeStatus(FieldError("batch.inputs", "is odd"));
  corpus.Add(
      Bytes({0, 0}) +
      Unsealed({.type = Refusal::kType, .producer = "p", .sequence = 3, .payload = refusal}));
  const auto unsealed = [](const std::string& value) { return value.substr(0, value.size() - 4); };
  const StoredModel model{
      .name = "m", .id = ModelId{4}, .log = LogId{3}, .create_time_us = 5, .config = "config"};
  corpus.Add(Bytes({1, 0}) + PartOf(ModelKey(model)) + unsealed(EncodeModel(model)));
  corpus.Add(Bytes({2, 0}) + unsealed(EncodeSnapshotHead({.model = ModelId{4},
                                                          .log = LogId{3},
                                                          .next_offset = 5,
                                                          .revision = 2,
                                                          .create_time_us = 5,
                                                          .chunks = 1,
                                                          .bytes = 6,
                                                          .build = "build"})));
  corpus.Add(Bytes({3, 0}) + unsealed(EncodeSnapshotChunk("", "chunk")));
  corpus.Add(Bytes({4, 0}) + unsealed(EncodeNextId(77)));
  corpus.Add(Bytes({0x80, 0, 1, 1, 0}));
}

v1::ModelConfig ConfigProto(const Learner& learner) {
  v1::ModelConfig proto;
  wire::ConfigToProto(learner.config(), &proto);
  return proto;
}

void WriteConfigs(Corpus corpus) {
  for (const std::shared_ptr<const Learner>& learner : Learners()) {
    corpus.Add("rule.passes=2 model.hidden=3,2 encoding.clip=3 evaluation.window=50\n" +
               cli::ToJson(ConfigProto(*learner)));
  }
  corpus.Add(
      "posterior.rank=2 likelihood.noise=0.5\n"
      R"({"features": [{"name": "a"}], "target": {"name": "y"},)"
      R"( "posterior": {"name": "low_rank"}})");
}

// The words of configurations: fields, parts, options and their values.
void WriteDictionary(const std::filesystem::path& path) {
  std::set<std::string> words;
  for (const auto* type :
       {v1::ModelConfig::descriptor(), v1::Feature::descriptor(), v1::Target::descriptor(),
        v1::Component::descriptor(), v1::Encoding::descriptor(), v1::Evaluation::descriptor()}) {
    for (int i = 0; i < type->field_count(); ++i) words.insert(type->field(i)->name());
  }
  for (const std::shared_ptr<const Learner>& learner : Learners()) {
    const LearnerConfig& c = learner->config();
    for (const ComponentConfig* part : {&c.model, &c.likelihood, &c.prior, &c.posterior, &c.rule}) {
      words.insert(part->name);
      for (const auto& [name, option] : part->options) {
        words.insert(name);
        if (const auto* word = std::get_if<std::string>(&option)) words.insert(*word);
      }
    }
  }
  std::ofstream file(path);
  for (const std::string& word : words) file << '"' << word << "\"\n";
}

template <class Request>
std::string LearnBytes(const v1::Batch& batch) {
  Request request;
  request.set_name("models/m");
  *request.mutable_batch() = batch;
  request.set_sequence(2);
  request.set_producer("p");
  return request.SerializeAsString();
}

template <class Request>
Request QueryOf(const v1::Batch& batch) {
  Request request;
  request.set_name("models/m");
  *request.mutable_batch() = batch;
  request.mutable_options()->add_queries()->set_name("logits");
  v1::Query* quantiles = request.mutable_options()->add_queries();
  quantiles->set_name("quantiles");
  auto& options = *quantiles->mutable_options()->mutable_fields();
  options["levels"].mutable_list_value()->add_values()->set_number_value(0.25);
  request.mutable_options()->set_samples(3);
  return request;
}

void WriteModelRequests(Corpus& corpus) {
  for (const int i : {0, 8}) {
    v1::CreateModelRequest create;
    create.set_model_id("m");
    *create.mutable_config() = ConfigProto(*LearnerOf(static_cast<std::size_t>(i)));
    corpus.Add(Bytes({0, 0}) + create.SerializeAsString());
    v1::ForkModelRequest fork;
    fork.set_name("models/m");
    fork.set_model_id("n");
    fork.set_revision(3);
    *fork.mutable_config() = create.config();
    corpus.Add(Bytes({6, 0}) + fork.SerializeAsString());
  }
  v1::GetModelRequest get;
  get.set_name("models/m");
  for (const int method : {1, 3, 4, 7, 9, 14})
    corpus.Add(Bytes({method, 0}) + get.SerializeAsString());
  v1::ListModelsRequest list;
  list.set_page_size(10);
  list.set_page_token(PageTokenAfter("m"));
  corpus.Add(Bytes({2, 0}) + list.SerializeAsString());
  v1::ImportModelRequest piece;
  piece.set_model_id("m");
  piece.set_data(ModelFileWriter({.config = "config", .body = "body"}).Next());
  corpus.Add(Bytes({8, 0}) + piece.SerializeAsString());
}

void WriteRequests(Corpus corpus) {
  WriteModelRequests(corpus);
  for (std::size_t i = 0; i < Learners().size(); ++i) {
    const int model = static_cast<int>(i);
    const v1::Batch batch = ToProto(SampleBatch(*LearnerOf(i), 2));
    corpus.Add(Bytes({10, model}) + LearnBytes<v1::LearnRequest>(batch));
    corpus.Add(Bytes({12, model}) + QueryOf<v1::PredictRequest>(batch).SerializeAsString());
  }
  const v1::Batch batch = ToProto(SampleBatch(*LearnerOf(1), 2));
  corpus.Add(Bytes({11, 1}) + LearnBytes<v1::LearnStreamRequest>(batch));
  corpus.Add(Bytes({13, 1}) + QueryOf<v1::PredictThenLearnRequest>(batch).SerializeAsString());
}

std::string Gzip(const std::string& bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  std::string copy = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

void WriteCsv(Corpus corpus) {
  const std::string plain = "a,b,y\n1,red,0\n2.5,blue,1\n-3e2,,0\n";
  corpus.Add(plain);
  corpus.Add("\xEF\xBB\xBF\"a\",\"b \"\"c\"\"\",y\r\n1,\"x,\ny\",2\r\n\r\nnan,,3\r\n");
  corpus.Add("y\n0.5\n\n1.5\n");
  corpus.Add("a,y\rinf,0\r1e400,1\r");
  std::string classes = "x,word,y\n";
  for (int i = 0; i < 20; ++i) absl::StrAppend(&classes, i, ",w", i % 3, ",class ", i % 4, "\n");
  corpus.Add(classes);
  corpus.Add(Gzip(plain));
  corpus.Add(Gzip(plain) + Gzip("4,green,1\n"));
}

}  // namespace
}  // namespace prequel::fuzz

int main(int argc, char** argv) {
  using namespace prequel::fuzz;
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  WriteConfigs(Corpus(folder / "config"));
  WriteDictionary(folder / "config.dict");
  WriteCsv(Corpus(folder / "csv"));
  WriteImports(Corpus(folder / "import"));
  WriteRecords(Corpus(folder / "record"));
  WriteRequests(Corpus(folder / "request"));
  WriteSnapshots(Corpus(folder / "snapshot"));
  return 0;
}
