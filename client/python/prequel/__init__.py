"""Prequel: streaming Bayesian learning, as a client of the service.

    import prequel

    with prequel.serve() as client:
        model = client.create("line", X, y)
        model.learn(X, y)
        print(model.predict(X).mean)

docs/python.md is the guide.
"""

from prequel.aio import AsyncClient, AsyncModel
from prequel.answers.drift import Alarm, BeliefWeight, Drift, NoiseTrack, Restart
from prequel.answers.info import ModelInfo, Revisions, Snapshot
from prequel.answers.parts import Part, PartOption
from prequel.answers.prediction import NotAnswered, Prediction
from prequel.answers.scores import BatchScores, Comparison, Evaluation, RefusedRow, Scores
from prequel.client import Client
from prequel.config import feature, part
from prequel.connection import TLS
from prequel.errors import (
    Aborted,
    AlreadyExists,
    Cancelled,
    DataLoss,
    DatasetSizeContradicted,
    DeadlineExceeded,
    FailedPrecondition,
    FeatureLeftOut,
    FieldViolation,
    InferenceNote,
    Internal,
    InvalidArgument,
    NotFound,
    OutOfRange,
    PermissionDenied,
    PrequelError,
    ResourceExhausted,
    RowsRefused,
    Unauthenticated,
    Unavailable,
    Unimplemented,
)
from prequel.inference.schema import Schema
from prequel.learning.ack import Ack, LearnResult
from prequel.learning.stream import LearnStream
from prequel.model import Model
from prequel.server import Server, serve

__version__ = "0.1.0"

__all__ = [
    "TLS",
    "Aborted",
    "Ack",
    "Alarm",
    "AlreadyExists",
    "AsyncClient",
    "AsyncModel",
    "BatchScores",
    "BeliefWeight",
    "Cancelled",
    "Client",
    "Comparison",
    "DataLoss",
    "DatasetSizeContradicted",
    "DeadlineExceeded",
    "Drift",
    "Evaluation",
    "FailedPrecondition",
    "FeatureLeftOut",
    "FieldViolation",
    "InferenceNote",
    "Internal",
    "InvalidArgument",
    "LearnResult",
    "LearnStream",
    "Model",
    "ModelInfo",
    "NoiseTrack",
    "NotAnswered",
    "NotFound",
    "OutOfRange",
    "Part",
    "PartOption",
    "PermissionDenied",
    "Prediction",
    "PrequelError",
    "RefusedRow",
    "ResourceExhausted",
    "Restart",
    "Revisions",
    "RowsRefused",
    "Schema",
    "Scores",
    "Server",
    "Snapshot",
    "Unauthenticated",
    "Unavailable",
    "Unimplemented",
    "feature",
    "part",
    "serve",
]
