"""Messages of the wire contract. Made of proto/ by generate.py: do not edit."""
from google.protobuf import any_pb2 as _any_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import empty_pb2 as _empty_pb2
from google.protobuf import message as _message
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from typing import Any as _Any
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Optional as _Optional, Union as _Union

class BadRequest(_message.Message):
    __slots__ = ["field_violations"]
    class FieldViolation(_message.Message):
        __slots__ = ["description", "field"]
        DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
        FIELD_FIELD_NUMBER: _ClassVar[int]
        description: str
        field: str
        def __init__(self, field: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...
    FIELD_VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    field_violations: _containers.RepeatedCompositeFieldContainer[BadRequest.FieldViolation]
    def __init__(self, field_violations: _Optional[_Iterable[_Union[BadRequest.FieldViolation, _Mapping[str, _Any]]]] = ...) -> None: ...

class ErrorInfo(_message.Message):
    __slots__ = ["domain", "metadata", "reason"]
    class MetadataEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    domain: str
    metadata: _containers.ScalarMap[str, str]
    reason: str
    def __init__(self, reason: _Optional[str] = ..., domain: _Optional[str] = ..., metadata: _Optional[_Mapping[str, str]] = ...) -> None: ...

class RetryInfo(_message.Message):
    __slots__ = ["retry_delay"]
    RETRY_DELAY_FIELD_NUMBER: _ClassVar[int]
    retry_delay: _duration_pb2.Duration
    def __init__(self, retry_delay: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, _Any]]] = ...) -> None: ...

class Status(_message.Message):
    __slots__ = ["code", "details", "message"]
    CODE_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    code: int
    details: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    message: str
    def __init__(self, code: _Optional[int] = ..., message: _Optional[str] = ..., details: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping[str, _Any]]]] = ...) -> None: ...

class Tensor(_message.Message):
    __slots__ = ["data", "dtype", "shape", "values"]
    class Dtype(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__: list[str] = []
    DATA_FIELD_NUMBER: _ClassVar[int]
    DTYPE_FIELD_NUMBER: _ClassVar[int]
    DTYPE_FLOAT32: Tensor.Dtype
    DTYPE_FLOAT64: Tensor.Dtype
    DTYPE_UNSPECIFIED: Tensor.Dtype
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    dtype: Tensor.Dtype
    shape: _containers.RepeatedScalarFieldContainer[int]
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, dtype: _Optional[_Union[Tensor.Dtype, str]] = ..., shape: _Optional[_Iterable[int]] = ..., data: _Optional[bytes] = ..., values: _Optional[_Iterable[float]] = ...) -> None: ...

class TextColumn(_message.Message):
    __slots__ = ["values"]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, values: _Optional[_Iterable[str]] = ...) -> None: ...

class Batch(_message.Message):
    __slots__ = ["inputs", "labels", "learned_before", "targets", "text", "times", "weights"]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    LEARNED_BEFORE_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TIMES_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    inputs: Tensor
    labels: _containers.RepeatedScalarFieldContainer[str]
    learned_before: bool
    targets: Tensor
    text: _containers.RepeatedCompositeFieldContainer[TextColumn]
    times: Tensor
    weights: Tensor
    def __init__(self, inputs: _Optional[_Union[Tensor, _Mapping[str, _Any]]] = ..., text: _Optional[_Iterable[_Union[TextColumn, _Mapping[str, _Any]]]] = ..., targets: _Optional[_Union[Tensor, _Mapping[str, _Any]]] = ..., labels: _Optional[_Iterable[str]] = ..., times: _Optional[_Union[Tensor, _Mapping[str, _Any]]] = ..., weights: _Optional[_Union[Tensor, _Mapping[str, _Any]]] = ..., learned_before: bool = ...) -> None: ...

class Component(_message.Message):
    __slots__ = ["arrays", "name", "options"]
    class ArraysEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Tensor
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Tensor, _Mapping[str, _Any]]] = ...) -> None: ...
    ARRAYS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    arrays: _containers.MessageMap[str, Tensor]
    name: str
    options: _struct_pb2.Struct
    def __init__(self, name: _Optional[str] = ..., options: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., arrays: _Optional[_Mapping[str, Tensor]] = ...) -> None: ...

class Encoding(_message.Message):
    __slots__ = ["clip", "inputs", "targets", "window"]
    class Standardize(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__: list[str] = []
    CLIP_FIELD_NUMBER: _ClassVar[int]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    STANDARDIZE_NONE: Encoding.Standardize
    STANDARDIZE_RUNNING: Encoding.Standardize
    STANDARDIZE_UNSPECIFIED: Encoding.Standardize
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    clip: float
    inputs: Encoding.Standardize
    targets: Encoding.Standardize
    window: float
    def __init__(self, inputs: _Optional[_Union[Encoding.Standardize, str]] = ..., targets: _Optional[_Union[Encoding.Standardize, str]] = ..., clip: _Optional[float] = ..., window: _Optional[float] = ...) -> None: ...

class Evaluation(_message.Message):
    __slots__ = ["window"]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    window: float
    def __init__(self, window: _Optional[float] = ...) -> None: ...

class Feature(_message.Message):
    __slots__ = ["allow_missing", "hash_buckets", "kind", "max_categories", "name", "width"]
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__: list[str] = []
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    HASH_BUCKETS_FIELD_NUMBER: _ClassVar[int]
    KIND_CATEGORICAL: Feature.Kind
    KIND_FIELD_NUMBER: _ClassVar[int]
    KIND_NUMERIC: Feature.Kind
    KIND_UNSPECIFIED: Feature.Kind
    MAX_CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    allow_missing: bool
    hash_buckets: int
    kind: Feature.Kind
    max_categories: int
    name: str
    width: int
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[_Union[Feature.Kind, str]] = ..., width: _Optional[int] = ..., allow_missing: bool = ..., max_categories: _Optional[int] = ..., hash_buckets: _Optional[int] = ...) -> None: ...

class ModelConfig(_message.Message):
    __slots__ = ["calibration", "dynamics", "encoding", "evaluation", "features", "likelihood", "model", "posterior", "prior", "robustness", "rule", "seed", "target"]
    CALIBRATION_FIELD_NUMBER: _ClassVar[int]
    DYNAMICS_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    LIKELIHOOD_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    POSTERIOR_FIELD_NUMBER: _ClassVar[int]
    PRIOR_FIELD_NUMBER: _ClassVar[int]
    ROBUSTNESS_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    calibration: Component
    dynamics: Component
    encoding: Encoding
    evaluation: Evaluation
    features: _containers.RepeatedCompositeFieldContainer[Feature]
    likelihood: Component
    model: Component
    posterior: Component
    prior: Component
    robustness: Component
    rule: Component
    seed: int
    target: Target
    def __init__(self, features: _Optional[_Iterable[_Union[Feature, _Mapping[str, _Any]]]] = ..., target: _Optional[_Union[Target, _Mapping[str, _Any]]] = ..., model: _Optional[_Union[Component, _Mapping[str, _Any]]] = ..., likelihood: _Optional[_Union[Component, _Mapping[str, _Any]]] = ..., prior: _Optional[_Union[Component, _Mapping[str, _Any]]] = ..., posterior: _Optional[_Union[Component, _Mapping[str, _Any]]] = ..., rule: _Optional[_Union[Component, _Mapping[str, _Any]]] = ..., dynamics: _Optional[_Union[Component, _Mapping[str, _Any]]] = ..., calibration: _Optional[_Union[Component, _Mapping[str, _Any]]] = ..., robustness: _Optional[_Union[Component, _Mapping[str, _Any]]] = ..., encoding: _Optional[_Union[Encoding, _Mapping[str, _Any]]] = ..., evaluation: _Optional[_Union[Evaluation, _Mapping[str, _Any]]] = ..., seed: _Optional[int] = ...) -> None: ...

class Target(_message.Message):
    __slots__ = ["allow_missing", "label_type", "labels", "name", "num_classes", "width"]
    class LabelType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__: list[str] = []
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    LABEL_TYPE_BOOL: Target.LabelType
    LABEL_TYPE_FIELD_NUMBER: _ClassVar[int]
    LABEL_TYPE_FLOAT: Target.LabelType
    LABEL_TYPE_INTEGER: Target.LabelType
    LABEL_TYPE_TEXT: Target.LabelType
    LABEL_TYPE_UNSPECIFIED: Target.LabelType
    NAME_FIELD_NUMBER: _ClassVar[int]
    NUM_CLASSES_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    allow_missing: bool
    label_type: Target.LabelType
    labels: _containers.RepeatedScalarFieldContainer[str]
    name: str
    num_classes: int
    width: int
    def __init__(self, name: _Optional[str] = ..., labels: _Optional[_Iterable[str]] = ..., num_classes: _Optional[int] = ..., width: _Optional[int] = ..., allow_missing: bool = ..., label_type: _Optional[_Union[Target.LabelType, str]] = ...) -> None: ...

class Output(_message.Message):
    __slots__ = ["levels", "name", "values"]
    LEVELS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    levels: _containers.RepeatedScalarFieldContainer[float]
    name: str
    values: Tensor
    def __init__(self, name: _Optional[str] = ..., values: _Optional[_Union[Tensor, _Mapping[str, _Any]]] = ..., levels: _Optional[_Iterable[float]] = ...) -> None: ...

class PredictOptions(_message.Message):
    __slots__ = ["queries", "raw", "samples", "scores"]
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    RAW_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    queries: _containers.RepeatedCompositeFieldContainer[Query]
    raw: bool
    samples: int
    scores: bool
    def __init__(self, queries: _Optional[_Iterable[_Union[Query, _Mapping[str, _Any]]]] = ..., samples: _Optional[int] = ..., raw: bool = ..., scores: bool = ...) -> None: ...

class Predictions(_message.Message):
    __slots__ = ["labels", "outputs"]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    labels: _containers.RepeatedScalarFieldContainer[str]
    outputs: _containers.RepeatedCompositeFieldContainer[Output]
    def __init__(self, outputs: _Optional[_Iterable[_Union[Output, _Mapping[str, _Any]]]] = ..., labels: _Optional[_Iterable[str]] = ...) -> None: ...

class Query(_message.Message):
    __slots__ = ["name", "options"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    options: _struct_pb2.Struct
    def __init__(self, name: _Optional[str] = ..., options: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ...) -> None: ...

class Score(_message.Message):
    __slots__ = ["name", "value"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: float
    def __init__(self, name: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...

class Scores(_message.Message):
    __slots__ = ["examples", "scores"]
    EXAMPLES_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    examples: float
    scores: _containers.RepeatedCompositeFieldContainer[Score]
    def __init__(self, examples: _Optional[float] = ..., scores: _Optional[_Iterable[_Union[Score, _Mapping[str, _Any]]]] = ...) -> None: ...

class Alarm(_message.Message):
    __slots__ = ["after", "before", "cause", "column", "moment", "raised", "revision", "times"]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    MOMENT_FIELD_NUMBER: _ClassVar[int]
    RAISED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TIMES_FIELD_NUMBER: _ClassVar[int]
    after: float
    before: float
    cause: str
    column: str
    moment: str
    raised: bool
    revision: int
    times: int
    def __init__(self, cause: _Optional[str] = ..., raised: bool = ..., revision: _Optional[int] = ..., times: _Optional[int] = ..., column: _Optional[str] = ..., moment: _Optional[str] = ..., before: _Optional[float] = ..., after: _Optional[float] = ...) -> None: ...

class BatchScores(_message.Message):
    __slots__ = ["first_refused_rows", "refused_rows", "scores", "skipped_rows", "unscored_rows", "unseen_categories"]
    FIRST_REFUSED_ROWS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_ROWS_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_ROWS_FIELD_NUMBER: _ClassVar[int]
    UNSCORED_ROWS_FIELD_NUMBER: _ClassVar[int]
    UNSEEN_CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    first_refused_rows: _containers.RepeatedCompositeFieldContainer[RefusedRow]
    refused_rows: int
    scores: Scores
    skipped_rows: int
    unscored_rows: int
    unseen_categories: int
    def __init__(self, scores: _Optional[_Union[Scores, _Mapping[str, _Any]]] = ..., skipped_rows: _Optional[int] = ..., unscored_rows: _Optional[int] = ..., unseen_categories: _Optional[int] = ..., refused_rows: _Optional[int] = ..., first_refused_rows: _Optional[_Iterable[_Union[RefusedRow, _Mapping[str, _Any]]]] = ...) -> None: ...

class BeliefWeight(_message.Message):
    __slots__ = ["intercept_rate", "rate", "since_restart", "weight"]
    INTERCEPT_RATE_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    SINCE_RESTART_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    intercept_rate: float
    rate: float
    since_restart: bool
    weight: float
    def __init__(self, rate: _Optional[float] = ..., intercept_rate: _Optional[float] = ..., since_restart: bool = ..., weight: _Optional[float] = ...) -> None: ...

class Comparison(_message.Message):
    __slots__ = ["cumulative", "name", "window"]
    CUMULATIVE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    cumulative: Scores
    name: str
    window: Scores
    def __init__(self, name: _Optional[str] = ..., cumulative: _Optional[_Union[Scores, _Mapping[str, _Any]]] = ..., window: _Optional[_Union[Scores, _Mapping[str, _Any]]] = ...) -> None: ...

class Drift(_message.Message):
    __slots__ = ["beliefs", "intercept_rate", "noise_tracks", "rate", "restart"]
    BELIEFS_FIELD_NUMBER: _ClassVar[int]
    INTERCEPT_RATE_FIELD_NUMBER: _ClassVar[int]
    NOISE_TRACKS_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    RESTART_FIELD_NUMBER: _ClassVar[int]
    beliefs: _containers.RepeatedCompositeFieldContainer[BeliefWeight]
    intercept_rate: float
    noise_tracks: _containers.RepeatedCompositeFieldContainer[NoiseTrack]
    rate: float
    restart: Restart
    def __init__(self, rate: _Optional[float] = ..., intercept_rate: _Optional[float] = ..., beliefs: _Optional[_Iterable[_Union[BeliefWeight, _Mapping[str, _Any]]]] = ..., noise_tracks: _Optional[_Iterable[_Union[NoiseTrack, _Mapping[str, _Any]]]] = ..., restart: _Optional[_Union[Restart, _Mapping[str, _Any]]] = ...) -> None: ...

class GetEvaluationRequest(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetEvaluationResponse(_message.Message):
    __slots__ = ["alarms", "comparisons", "cumulative", "drift", "revision", "skipped_rows", "unscored_rows", "unseen_categories", "window", "window_length"]
    ALARMS_FIELD_NUMBER: _ClassVar[int]
    COMPARISONS_FIELD_NUMBER: _ClassVar[int]
    CUMULATIVE_FIELD_NUMBER: _ClassVar[int]
    DRIFT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_ROWS_FIELD_NUMBER: _ClassVar[int]
    UNSCORED_ROWS_FIELD_NUMBER: _ClassVar[int]
    UNSEEN_CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    WINDOW_LENGTH_FIELD_NUMBER: _ClassVar[int]
    alarms: _containers.RepeatedCompositeFieldContainer[Alarm]
    comparisons: _containers.RepeatedCompositeFieldContainer[Comparison]
    cumulative: Scores
    drift: Drift
    revision: int
    skipped_rows: int
    unscored_rows: int
    unseen_categories: int
    window: Scores
    window_length: float
    def __init__(self, revision: _Optional[int] = ..., cumulative: _Optional[_Union[Scores, _Mapping[str, _Any]]] = ..., window: _Optional[_Union[Scores, _Mapping[str, _Any]]] = ..., window_length: _Optional[float] = ..., skipped_rows: _Optional[int] = ..., unscored_rows: _Optional[int] = ..., comparisons: _Optional[_Iterable[_Union[Comparison, _Mapping[str, _Any]]]] = ..., drift: _Optional[_Union[Drift, _Mapping[str, _Any]]] = ..., alarms: _Optional[_Iterable[_Union[Alarm, _Mapping[str, _Any]]]] = ..., unseen_categories: _Optional[int] = ...) -> None: ...

class LearnRequest(_message.Message):
    __slots__ = ["batch", "name", "producer", "request_id", "sequence"]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PRODUCER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    batch: Batch
    name: str
    producer: str
    request_id: str
    sequence: int
    def __init__(self, name: _Optional[str] = ..., batch: _Optional[_Union[Batch, _Mapping[str, _Any]]] = ..., request_id: _Optional[str] = ..., producer: _Optional[str] = ..., sequence: _Optional[int] = ...) -> None: ...

class LearnResponse(_message.Message):
    __slots__ = ["repeated", "report", "revision", "scores"]
    REPEATED_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    repeated: bool
    report: StepReport
    revision: int
    scores: Scores
    def __init__(self, revision: _Optional[int] = ..., scores: _Optional[_Union[Scores, _Mapping[str, _Any]]] = ..., report: _Optional[_Union[StepReport, _Mapping[str, _Any]]] = ..., repeated: bool = ...) -> None: ...

class LearnStreamRequest(_message.Message):
    __slots__ = ["batch", "name", "producer", "sequence"]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PRODUCER_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    batch: Batch
    name: str
    producer: str
    sequence: int
    def __init__(self, name: _Optional[str] = ..., batch: _Optional[_Union[Batch, _Mapping[str, _Any]]] = ..., producer: _Optional[str] = ..., sequence: _Optional[int] = ...) -> None: ...

class LearnStreamResponse(_message.Message):
    __slots__ = ["error", "index", "learned", "resume"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    LEARNED_FIELD_NUMBER: _ClassVar[int]
    RESUME_FIELD_NUMBER: _ClassVar[int]
    error: Status
    index: int
    learned: LearnResponse
    resume: Resume
    def __init__(self, index: _Optional[int] = ..., learned: _Optional[_Union[LearnResponse, _Mapping[str, _Any]]] = ..., error: _Optional[_Union[Status, _Mapping[str, _Any]]] = ..., resume: _Optional[_Union[Resume, _Mapping[str, _Any]]] = ...) -> None: ...

class NoiseTrack(_message.Message):
    __slots__ = ["rate", "weight"]
    RATE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    rate: float
    weight: float
    def __init__(self, rate: _Optional[float] = ..., weight: _Optional[float] = ...) -> None: ...

class PredictRequest(_message.Message):
    __slots__ = ["batch", "min_revision", "name", "options", "revision"]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    MIN_REVISION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    batch: Batch
    min_revision: int
    name: str
    options: PredictOptions
    revision: int
    def __init__(self, name: _Optional[str] = ..., batch: _Optional[_Union[Batch, _Mapping[str, _Any]]] = ..., options: _Optional[_Union[PredictOptions, _Mapping[str, _Any]]] = ..., revision: _Optional[int] = ..., min_revision: _Optional[int] = ...) -> None: ...

class PredictResponse(_message.Message):
    __slots__ = ["predictions", "revision", "scores"]
    PREDICTIONS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    predictions: Predictions
    revision: int
    scores: BatchScores
    def __init__(self, revision: _Optional[int] = ..., predictions: _Optional[_Union[Predictions, _Mapping[str, _Any]]] = ..., scores: _Optional[_Union[BatchScores, _Mapping[str, _Any]]] = ...) -> None: ...

class PredictThenLearnRequest(_message.Message):
    __slots__ = ["batch", "name", "options", "producer", "request_id", "sequence"]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    PRODUCER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    batch: Batch
    name: str
    options: PredictOptions
    producer: str
    request_id: str
    sequence: int
    def __init__(self, name: _Optional[str] = ..., batch: _Optional[_Union[Batch, _Mapping[str, _Any]]] = ..., options: _Optional[_Union[PredictOptions, _Mapping[str, _Any]]] = ..., request_id: _Optional[str] = ..., producer: _Optional[str] = ..., sequence: _Optional[int] = ...) -> None: ...

class PredictThenLearnResponse(_message.Message):
    __slots__ = ["predictions", "repeated", "report", "revision", "scores"]
    PREDICTIONS_FIELD_NUMBER: _ClassVar[int]
    REPEATED_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    predictions: Predictions
    repeated: bool
    report: StepReport
    revision: int
    scores: Scores
    def __init__(self, revision: _Optional[int] = ..., predictions: _Optional[_Union[Predictions, _Mapping[str, _Any]]] = ..., scores: _Optional[_Union[Scores, _Mapping[str, _Any]]] = ..., report: _Optional[_Union[StepReport, _Mapping[str, _Any]]] = ..., repeated: bool = ...) -> None: ...

class RefusedRow(_message.Message):
    __slots__ = ["label", "reason", "row"]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    label: str
    reason: str
    row: int
    def __init__(self, row: _Optional[int] = ..., label: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class Restart(_message.Message):
    __slots__ = ["probability", "run_length", "window"]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    RUN_LENGTH_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    probability: float
    run_length: float
    window: float
    def __init__(self, probability: _Optional[float] = ..., window: _Optional[float] = ..., run_length: _Optional[float] = ...) -> None: ...

class Resume(_message.Message):
    __slots__ = ["next_sequence"]
    NEXT_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    next_sequence: int
    def __init__(self, next_sequence: _Optional[int] = ...) -> None: ...

class StepReport(_message.Message):
    __slots__ = ["converged", "first_refused_rows", "kl", "local_elbo", "passes", "phase", "refused_rows", "residual", "rows", "skipped_rows", "unseen_categories"]
    CONVERGED_FIELD_NUMBER: _ClassVar[int]
    FIRST_REFUSED_ROWS_FIELD_NUMBER: _ClassVar[int]
    KL_FIELD_NUMBER: _ClassVar[int]
    LOCAL_ELBO_FIELD_NUMBER: _ClassVar[int]
    PASSES_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    REFUSED_ROWS_FIELD_NUMBER: _ClassVar[int]
    RESIDUAL_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_ROWS_FIELD_NUMBER: _ClassVar[int]
    UNSEEN_CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    converged: bool
    first_refused_rows: _containers.RepeatedCompositeFieldContainer[RefusedRow]
    kl: float
    local_elbo: float
    passes: int
    phase: str
    refused_rows: int
    residual: float
    rows: int
    skipped_rows: int
    unseen_categories: int
    def __init__(self, rows: _Optional[int] = ..., skipped_rows: _Optional[int] = ..., passes: _Optional[int] = ..., converged: bool = ..., residual: _Optional[float] = ..., local_elbo: _Optional[float] = ..., kl: _Optional[float] = ..., phase: _Optional[str] = ..., refused_rows: _Optional[int] = ..., first_refused_rows: _Optional[_Iterable[_Union[RefusedRow, _Mapping[str, _Any]]]] = ..., unseen_categories: _Optional[int] = ...) -> None: ...

class WatchEvaluationRequest(_message.Message):
    __slots__ = ["min_interval", "name"]
    MIN_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    min_interval: _duration_pb2.Duration
    name: str
    def __init__(self, name: _Optional[str] = ..., min_interval: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, _Any]]] = ...) -> None: ...

class CreateModelRequest(_message.Message):
    __slots__ = ["config", "model_id"]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    config: ModelConfig
    model_id: str
    def __init__(self, model_id: _Optional[str] = ..., config: _Optional[_Union[ModelConfig, _Mapping[str, _Any]]] = ...) -> None: ...

class CreateSnapshotRequest(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class DeleteModelRequest(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class ExportModelRequest(_message.Message):
    __slots__ = ["name", "revision"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    name: str
    revision: int
    def __init__(self, name: _Optional[str] = ..., revision: _Optional[int] = ...) -> None: ...

class ForkModelRequest(_message.Message):
    __slots__ = ["config", "model_id", "name", "revision"]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    config: ModelConfig
    model_id: str
    name: str
    revision: int
    def __init__(self, name: _Optional[str] = ..., revision: _Optional[int] = ..., model_id: _Optional[str] = ..., config: _Optional[_Union[ModelConfig, _Mapping[str, _Any]]] = ...) -> None: ...

class GetModelRequest(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class ImportModelRequest(_message.Message):
    __slots__ = ["data", "model_id"]
    DATA_FIELD_NUMBER: _ClassVar[int]
    MODEL_ID_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    model_id: str
    def __init__(self, model_id: _Optional[str] = ..., data: _Optional[bytes] = ...) -> None: ...

class ListModelsRequest(_message.Message):
    __slots__ = ["page_size", "page_token"]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListModelsResponse(_message.Message):
    __slots__ = ["models", "next_page_token"]
    MODELS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    models: _containers.RepeatedCompositeFieldContainer[Model]
    next_page_token: str
    def __init__(self, models: _Optional[_Iterable[_Union[Model, _Mapping[str, _Any]]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListRevisionsRequest(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class ListRevisionsResponse(_message.Message):
    __slots__ = ["oldest_revision", "revision", "snapshots"]
    OLDEST_REVISION_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOTS_FIELD_NUMBER: _ClassVar[int]
    oldest_revision: int
    revision: int
    snapshots: _containers.RepeatedCompositeFieldContainer[Snapshot]
    def __init__(self, revision: _Optional[int] = ..., oldest_revision: _Optional[int] = ..., snapshots: _Optional[_Iterable[_Union[Snapshot, _Mapping[str, _Any]]]] = ...) -> None: ...

class Model(_message.Message):
    __slots__ = ["config", "create_time", "examples", "labels", "name", "num_inputs", "num_parameters", "problem", "replay", "revision", "serving", "state"]
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__: list[str] = []
    class Replay(_message.Message):
        __slots__ = ["folded", "records"]
        FOLDED_FIELD_NUMBER: _ClassVar[int]
        RECORDS_FIELD_NUMBER: _ClassVar[int]
        folded: int
        records: int
        def __init__(self, folded: _Optional[int] = ..., records: _Optional[int] = ...) -> None: ...
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXAMPLES_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NUM_INPUTS_FIELD_NUMBER: _ClassVar[int]
    NUM_PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    REPLAY_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SERVING_FIELD_NUMBER: _ClassVar[int]
    STATE_FAILED: Model.State
    STATE_FIELD_NUMBER: _ClassVar[int]
    STATE_SERVING: Model.State
    STATE_STARTING: Model.State
    STATE_UNSPECIFIED: Model.State
    config: ModelConfig
    create_time: _timestamp_pb2.Timestamp
    examples: int
    labels: _containers.RepeatedScalarFieldContainer[str]
    name: str
    num_inputs: int
    num_parameters: int
    problem: str
    replay: Model.Replay
    revision: int
    serving: bool
    state: Model.State
    def __init__(self, name: _Optional[str] = ..., config: _Optional[_Union[ModelConfig, _Mapping[str, _Any]]] = ..., create_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., revision: _Optional[int] = ..., examples: _Optional[int] = ..., num_parameters: _Optional[int] = ..., num_inputs: _Optional[int] = ..., labels: _Optional[_Iterable[str]] = ..., serving: bool = ..., problem: _Optional[str] = ..., state: _Optional[_Union[Model.State, str]] = ..., replay: _Optional[_Union[Model.Replay, _Mapping[str, _Any]]] = ...) -> None: ...

class ModelFilePiece(_message.Message):
    __slots__ = ["data"]
    DATA_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    def __init__(self, data: _Optional[bytes] = ...) -> None: ...

class RollbackModelRequest(_message.Message):
    __slots__ = ["name", "revision"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    name: str
    revision: int
    def __init__(self, name: _Optional[str] = ..., revision: _Optional[int] = ...) -> None: ...

class Snapshot(_message.Message):
    __slots__ = ["build", "bytes", "create_time", "revision"]
    BUILD_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    build: str
    bytes: int
    create_time: _timestamp_pb2.Timestamp
    revision: int
    def __init__(self, revision: _Optional[int] = ..., create_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., bytes: _Optional[int] = ..., build: _Optional[str] = ...) -> None: ...

class Combination(_message.Message):
    __slots__ = ["kind", "names"]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    kind: str
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, kind: _Optional[str] = ..., names: _Optional[_Iterable[str]] = ...) -> None: ...

class ListPartsRequest(_message.Message):
    __slots__: list[str] = []
    def __init__(self) -> None: ...

class ListPartsResponse(_message.Message):
    __slots__ = ["parts"]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    parts: _containers.RepeatedCompositeFieldContainer[Part]
    def __init__(self, parts: _Optional[_Iterable[_Union[Part, _Mapping[str, _Any]]]] = ...) -> None: ...

class OtherDefault(_message.Message):
    __slots__ = ["default_value", "where"]
    class WhereEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    WHERE_FIELD_NUMBER: _ClassVar[int]
    default_value: _struct_pb2.Value
    where: _containers.ScalarMap[str, str]
    def __init__(self, where: _Optional[_Mapping[str, str]] = ..., default_value: _Optional[_Union[_struct_pb2.Value, _Mapping[str, _Any]]] = ...) -> None: ...

class Part(_message.Message):
    __slots__ = ["combinations", "cost", "help", "kind", "name", "options", "usual"]
    COMBINATIONS_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    HELP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    USUAL_FIELD_NUMBER: _ClassVar[int]
    combinations: _containers.RepeatedCompositeFieldContainer[Combination]
    cost: str
    help: str
    kind: str
    name: str
    options: _containers.RepeatedCompositeFieldContainer[PartOption]
    usual: bool
    def __init__(self, kind: _Optional[str] = ..., name: _Optional[str] = ..., help: _Optional[str] = ..., cost: _Optional[str] = ..., usual: bool = ..., options: _Optional[_Iterable[_Union[PartOption, _Mapping[str, _Any]]]] = ..., combinations: _Optional[_Iterable[_Union[Combination, _Mapping[str, _Any]]]] = ...) -> None: ...

class PartOption(_message.Message):
    __slots__ = ["default_value", "help", "name", "needed", "otherwise", "range", "type", "where", "words"]
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__: list[str] = []
    class WhereEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    HELP_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NEEDED_FIELD_NUMBER: _ClassVar[int]
    OTHERWISE_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FLAG: PartOption.Type
    TYPE_NUMBER: PartOption.Type
    TYPE_NUMBERS: PartOption.Type
    TYPE_NUMBER_OR_WORD: PartOption.Type
    TYPE_TABLE: PartOption.Type
    TYPE_UNSPECIFIED: PartOption.Type
    TYPE_WHOLE: PartOption.Type
    TYPE_WORD: PartOption.Type
    WHERE_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    default_value: _struct_pb2.Value
    help: str
    name: str
    needed: bool
    otherwise: _containers.RepeatedCompositeFieldContainer[OtherDefault]
    range: str
    type: PartOption.Type
    where: _containers.ScalarMap[str, str]
    words: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[PartOption.Type, str]] = ..., range: _Optional[str] = ..., words: _Optional[_Iterable[str]] = ..., default_value: _Optional[_Union[_struct_pb2.Value, _Mapping[str, _Any]]] = ..., help: _Optional[str] = ..., where: _Optional[_Mapping[str, str]] = ..., needed: bool = ..., otherwise: _Optional[_Iterable[_Union[OtherDefault, _Mapping[str, _Any]]]] = ...) -> None: ...
