"""The stock kserve client, by gRPC and by REST: every call that it has of the protocol."""

from __future__ import annotations

import asyncio

import grpc
import httpx
import numpy as np
import pytest
from kserve import (
    InferenceGRPCClient,
    InferenceRESTClient,
    InferInput,
    InferRequest,
    RESTConfig,
)


class Stock:
    """Both clients, by the same calls."""

    def __init__(self, server, kind):
        self.kind, self.base = kind, f"http://{server.http_address}"
        self.address = server.address

    async def call(self, method, *arguments):
        if self.kind == "grpc":
            async with InferenceGRPCClient(self.address) as client:
                return await getattr(client, method)(*arguments)
        client = InferenceRESTClient(RESTConfig(protocol="v2"))
        if method == "infer":
            arguments = (*arguments, arguments[0].model_name)
        try:
            return await getattr(client, method)(self.base, *arguments)
        finally:
            await client.close()

    def __getattr__(self, method):
        return lambda *arguments: asyncio.run(self.call(method, *arguments))


@pytest.fixture(params=["grpc", "rest"])
def stock(server, request):
    return Stock(server, request.param)


def request(name, values, raw, **options):
    given = InferInput("input", list(values.shape), "FP64")
    if raw:
        given.set_data_from_numpy(values)
    else:
        given.data = values.ravel().tolist()
    return InferRequest(name, [given], **options)


def output(answer, name):
    return next(out for out in answer.outputs if out.name == name)


def test_health(stock, taught):
    name, _, _ = taught
    assert stock.is_server_live() is True
    assert stock.is_server_ready() is True
    assert stock.is_model_ready(name) is True
    with pytest.raises((grpc.RpcError, httpx.HTTPStatusError), match="nobody"):
        if not stock.is_model_ready("nobody"):  # REST has no errors here
            raise httpx.HTTPStatusError("nobody", request=None, response=None)


@pytest.mark.parametrize("raw", [True, False], ids=["raw", "typed"])
def test_infer_is_predict(stock, taught, raw):
    name, model, X = taught
    answer = stock.infer(request(name, X, raw, request_id="17"))
    expected = model.predict(X)
    assert answer.id == "17"
    assert answer.model_name == name
    np.testing.assert_array_equal(output(answer, "mean").as_numpy()[:, 0], expected.mean)
    np.testing.assert_array_equal(
        output(answer, "quantiles").as_numpy()[:, 0, 2], expected.quantile(0.5)
    )
    assert output(answer, "mean").shape == [5, 1]


def test_typed_inputs_by_feature(stock, taught):
    name, model, X = taught
    inputs = [InferInput(f"x{i}", [2, 1], "FP64", X[:2, i].tolist()) for i in range(3)]
    answer = stock.infer(InferRequest(name, inputs))
    np.testing.assert_array_equal(
        output(answer, "mean").as_numpy()[:, 0], model.predict(X[:2]).mean
    )


def test_what_is_wrong_is_said(stock, taught):
    name, _, X = taught
    inputs = [InferInput("x9", [1], "FP64", [1.0])]
    with pytest.raises((grpc.RpcError, httpx.HTTPStatusError), match="is of no feature"):
        stock.infer(InferRequest(name, inputs))
    with pytest.raises((grpc.RpcError, httpx.HTTPStatusError), match="rows, 3"):
        stock.infer(request(name, X[:, :2].copy(), False))
