"""What the package costs: python tests/python/measure.py, with prequeld on the PATH or PREQUELD.

Prints rows per second of `learn`, of the model of the C++ stream (whose rows per second are those
of ./dev bench --benchmark_filter=LearnStreamServed) and of a default one, and the latency of
`predict` beside bare grpcio calls, in turns.
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


def median_micros(calls, times=500):
    """Of each call, which take turns, after some that warm up."""
    seconds = [[] for _ in calls]
    for _ in range(times + 50):
        for call, taken in zip(calls, seconds):
            start = time.perf_counter()
            call()
            taken.append(time.perf_counter() - start)
    return [1e6 * statistics.median(taken[50:]) for taken in seconds]


def measure_learning(client, X, y):
    classes = {"likelihood": "bernoulli", "posterior": "diagonal", "classes": 2}
    for what, targets, parts in (
        ("as the C++ stream", (X[:, 0] > 0).astype(np.float64), classes),
        ("by default", y, {"likelihood": "gaussian"}),
    ):
        for i in range(3):
            name = f"{parts['likelihood']}-{i}"
            model = client.create(name, inputs=COLUMNS, target="y", **parts)
            spent = resource.getrusage(resource.RUSAGE_SELF)
            result = model.learn(X, targets, batch_size=BATCH)
            now = resource.getrusage(resource.RUSAGE_SELF)
            cpu = now.ru_utime + now.ru_stime - spent.ru_utime - spent.ru_stime
            print(
                f"learn, {what}: {result.rows_per_second:,.0f} rows/s, "
                f"{cpu:.2f} s of processor time here"
            )


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
    with (
        grpc.insecure_channel(f"127.0.0.1:{port}") as to_echo,
        grpc.insecure_channel(client.server) as to_us,
    ):
        bare_echo = to_echo.unary_unary("/a.B/C")
        bare = to_us.unary_unary("/prequel.v1.LearningService/Predict")
        echo, answered, ours = median_micros(
            [lambda: bare_echo(request), lambda: bare(request), lambda: model.predict(row).mean]
        )
    server.stop(None)
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
