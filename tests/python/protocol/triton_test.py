"""The stock tritonclient, by gRPC and by HTTP: every call of it that the protocol has."""

from __future__ import annotations

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

import prequel


@pytest.fixture(params=[tritonclient.grpc, tritonclient.http], ids=["grpc", "http"])
def triton(request):
    return request.param


@pytest.fixture
def stock(server, triton):
    address = server.address if triton is tritonclient.grpc else server.http_address
    with triton.InferenceServerClient(address) as made:
        yield made


def tensor(triton, name, values, **options):
    names = {"float64": "FP64", "float32": "FP32", "object": "BYTES", "int32": "INT32"}
    made = triton.InferInput(name, values.shape, names[str(values.dtype)])
    made.set_data_from_numpy(values, **options)
    return made


def test_health_and_metadata(stock, taught):
    name, _, _ = taught
    assert stock.is_server_live()
    assert stock.is_server_ready()
    assert stock.is_model_ready(name)
    assert stock.is_model_ready(name, "3")
    assert not stock.is_model_ready(name, "1000")
    server = stock.get_server_metadata()
    model_metadata = stock.get_model_metadata(name)
    if not isinstance(server, dict):  # gRPC's
        assert server.name == "prequel"
        assert [output.name for output in model_metadata.outputs][:2] == [
            "mean",
            "epistemic_variance",
        ]
        return
    assert server["name"] == "prequel"
    assert model_metadata["versions"] == ["10"]
    assert [given["name"] for given in model_metadata["inputs"]] == ["x0", "x1", "x2"]
    assert model_metadata["inputs"][0] == {"name": "x0", "datatype": "FP64", "shape": [-1, 1]}


def test_infer_is_predict(stock, triton, taught):
    name, model, X = taught
    expected = model.predict(X)
    answer = stock.infer(name, [tensor(triton, "input", X)], request_id="17")
    np.testing.assert_array_equal(answer.as_numpy("mean")[:, 0], expected.mean)
    assert answer.as_numpy("quantiles").shape == (5, 1, 5)
    each = [tensor(triton, f"x{i}", X[:, i : i + 1].copy()) for i in range(3)]
    answer = stock.infer(
        name,
        each,
        outputs=[triton.InferRequestedOutput("upper"), triton.InferRequestedOutput("mean")],
        parameters={"interval.levels": "0.9", "min_revision": 10},
    )
    np.testing.assert_array_equal(answer.as_numpy("mean")[:, 0], expected.mean)
    np.testing.assert_array_equal(
        answer.as_numpy("upper")[:, 0, 0], model.predict(X).interval(0.9)[1]
    )
    assert answer.as_numpy("lower") is None
    response = answer.get_response()
    if isinstance(response, dict):
        assert response["parameters"]["revision"] == 10
    else:
        assert response.parameters["revision"].int64_param == 10


def test_times_of_rows(client, stock, triton, name, rng):
    X = rng.normal(size=(64, 1))
    y = 2 * X[:, 0] + 0.1 * rng.normal(size=64)
    model = client.create(name, X, y, dynamics=prequel.part("inflation", rate=0.01))
    model.learn(X, y, times=np.arange(64.0))
    asked, late = X[:2], np.array([64.0, 1e5])
    expected = model.predict(asked, times=late).outputs["epistemic_variance"]
    # The second in JSON where it is by HTTP.
    ways = [{}] if triton is tritonclient.grpc else [{}, {"binary_data": False}]
    for options in ways:
        given = [
            tensor(triton, "input", asked, **options),
            tensor(triton, "times", late, **options),
        ]
        answer = stock.infer(name, given).as_numpy("epistemic_variance")
        np.testing.assert_array_equal(answer, expected)
        assert answer[1] > 10 * answer[0]
    wrong = [tensor(triton, "input", asked), tensor(triton, "times", np.array([64.0, np.nan]))]
    with pytest.raises(InferenceServerException, match=r"batch\.times\[1\]"):
        stock.infer(name, wrong)


def test_an_earlier_revision(stock, triton, taught):
    name, model, X = taught
    first = stock.infer(name, [tensor(triton, "input", X)], model_version="1")
    np.testing.assert_array_equal(first.as_numpy("mean")[:, 0], model.predict(X, revision=1).mean)


def test_asynchronous_infer(stock, triton, taught):
    name, model, X = taught
    inputs = [tensor(triton, "input", X[:2].astype(np.float32))]
    if triton is tritonclient.http:
        answer = stock.async_infer(name, inputs).get_result()
    else:
        answers = []
        call = stock.async_infer(
            name, inputs, callback=lambda result, error: answers.append((result, error))
        )
        while not answers:
            pass
        assert call is not None
        answer, error = answers[0]
        assert error is None
    assert answer.as_numpy("mean").shape == (2, 1)


def test_text_and_classes(stock, triton, client, name, rng):
    colors = rng.choice(["red", "blue"], size=200)
    table = {"color": list(colors), "z": [float(i % 3) for i in range(200)]}
    model = client.create(
        name,
        inputs=["color:text", "z"],
        target="kind",
        labels=["cold", "warm"],
        likelihood="bernoulli",
    )
    model.learn(table, np.where(colors == "red", "warm", "cold"), batch_size=50)
    inputs = [
        tensor(triton, "color", np.array(["red", "blue"], dtype=object)),
        tensor(triton, "z", np.array([1, 2], dtype=np.int32)),
    ]
    answer = stock.infer(name, inputs)
    assert list(answer.as_numpy("labels")) == [b"cold", b"warm"]
    probabilities = answer.as_numpy("probabilities")
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert probabilities[0, 1] > 0.9 > 0.1 > probabilities[1, 1]


def test_contents_as_json(server, taught):
    name, model, X = taught
    triton = tritonclient.http
    with triton.InferenceServerClient(server.http_address) as stock:
        answer = stock.infer(
            name,
            [tensor(triton, "input", X, binary_data=False)],
            outputs=[
                triton.InferRequestedOutput("mean", binary_data=False),
                triton.InferRequestedOutput("epistemic_variance", binary_data=True),
            ],
        )
    expected = model.predict(X)
    assert "data" in answer.get_output("mean")
    np.testing.assert_array_equal(answer.as_numpy("mean")[:, 0], expected.mean)
    np.testing.assert_allclose(
        answer.as_numpy("epistemic_variance")[:, 0], expected.epistemic_std**2
    )


def test_what_only_other_servers_know_is_ignored(stock, triton, taught):
    name, _, X = taught
    usual = stock.infer(name, [tensor(triton, "input", X)])
    hinted = stock.infer(name, [tensor(triton, "input", X)], sequence_id=3, priority=1, timeout=5)
    np.testing.assert_array_equal(hinted.as_numpy("mean"), usual.as_numpy("mean"))


def test_what_is_wrong_is_said(stock, triton, taught):
    name, _, X = taught
    with pytest.raises(InferenceServerException, match='tensor "x9" is of no feature'):
        stock.infer(name, [tensor(triton, "x9", X)])
    with pytest.raises(InferenceServerException, match="must be .rows, 3."):
        stock.infer(name, [tensor(triton, "input", X[:, :2].copy())])
    with pytest.raises(InferenceServerException, match="classification"):
        asked = [triton.InferRequestedOutput("mean", class_count=2)]
        stock.infer(name, [tensor(triton, "input", X)], outputs=asked)
    with pytest.raises(InferenceServerException, match="nobody"):
        stock.infer("nobody", [tensor(triton, "input", X)])
    # What only Triton has is not answered by something else.
    with pytest.raises(InferenceServerException):
        stock.get_model_config(name)
