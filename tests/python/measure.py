"""What the package costs: python tests/python/measure.py, with prequeld on the PATH or PREQUELD.

Prints rows per second of `learn`, and the latency of `predict` beside bare grpcio calls. The C++
stream's rows per second are ./dev bench --benchmark_filter=LearnStreamServed.
"""

from __future__ import annotations

import concurrent.futures
import resource
import statistics
import time

import grpc
import numpy as np

import prequel
from prequel import v1

ROWS, COLUMNS, BATCH = 1_000_000, 16, 1_024


class Echo(grpc.GenericRpcHandler):
    """Answers with the request, in Python's own server."""

    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(lambda request, context: request)


def median_micros(call, times=500):
    """Of one call, after some that warm up."""
    seconds = []
    for i in range(times + 50):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start if i >= 50 else 0.0)
    return 1e6 * statistics.median(seconds[50:])


def measure_learning(client, X, y):
    for i in range(3):
        model = client.create(f"learn-{i}", inputs=COLUMNS, target="y", likelihood="gaussian")
        spent = resource.getrusage(resource.RUSAGE_SELF)
        result = model.learn(X, y, batch_size=BATCH)
        now = resource.getrusage(resource.RUSAGE_SELF)
        cpu = now.ru_utime + now.ru_stime - spent.ru_utime - spent.ru_stime
        print(f"learn: {result.rows_per_second:,.0f} rows/s, {cpu:.2f} s of processor time here")


def measure_predict(client, X, y):
    model = client.create("predict", inputs=COLUMNS, target="y", likelihood="gaussian")
    model.learn(X[:2_000], y[:2_000])
    row = X[:1]
    examples = model._known_encoder().encode(row, targets=False)
    request = examples.minibatch(0, 1).request(v1.PredictRequest(name=model.name))
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((Echo(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as to_echo:
        echo = median_micros(lambda call=to_echo.unary_unary("/a.B/C"): call(request))
    server.stop(None)
    with grpc.insecure_channel(client.server) as channel:
        bare = channel.unary_unary("/prequel.v1.LearningService/Predict")
        answered = median_micros(lambda: bare(request))
    ours = median_micros(lambda: model.predict(row).mean)
    print(
        f"predict: {ours:.0f} us; the same bytes through bare grpcio: {answered:.0f} us; "
        f"a bare grpcio echo: {echo:.0f} us, {ours / echo:.2f} times"
    )


def main():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS))
    y = X @ rng.normal(size=COLUMNS) + 0.1 * rng.normal(size=ROWS)
    with prequel.serve() as client:
        measure_learning(client, X, y)
        measure_predict(client, X, y)


if __name__ == "__main__":
    main()
