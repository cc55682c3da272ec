# The server, its command line, and prequel-log for its data directories. Plain `docker build .`
# works; `./dev container` builds, runs and checks the image, also where there is no Docker engine.
# Behind a proxy pass --build-arg http_proxy=...; a mirror of the distribution is mounted over
# /etc/apt/sources.list.d.
FROM debian:bookworm-slim AS build
WORKDIR /src
COPY dev ./
RUN ./dev setup && rm -rf /var/lib/apt/lists/*
COPY . .
# The instruction set is a promise about replay: a data directory written on one value of it is
# read bit for bit only on the same one.
ARG PREQUEL_ARCH=x86-64-v3
ARG JOBS
RUN CMAKE_ARGS=-DPREQUEL_ARCH=$PREQUEL_ARCH ./dev install /out
# A folder of tests/ to build and pass as well, such as core.
ARG TESTS
RUN [ -z "$TESTS" ] || CMAKE_ARGS=-DPREQUEL_ARCH=$PREQUEL_ARCH ./dev test "$TESTS"

FROM debian:bookworm-slim
RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      libgrpc++1.51 librocksdb7.8 libprometheus-cpp-core1.0 libssl3 zlib1g \
 && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* \
 && install -d -o 10001 -g 10001 -m 0700 /var/lib/prequel
COPY --from=build /out/bin/* /usr/local/bin/
# A number, so that Kubernetes' runAsNonRoot can see that it is not root.
USER 10001:10001
# The one place that is written to; the root file system may be read-only.
VOLUME /var/lib/prequel
# 8080: metrics and health over HTTP. 8081: gRPC.
EXPOSE 8080 8081
# Mount a certificate with its key (a Kubernetes secret of type tls) and a policy here. The health
# check trusts the certificate's own file and asks for localhost: set PREQUEL_TLS_SERVER_NAME when
# the certificate does not name it, and PREQUEL_TLS_CA to nothing for a server without TLS.
ENV PREQUEL_TLS_CA=/etc/prequel/tls/tls.crt
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["prequel", "--server=localhost:8081", "health"]
ENTRYPOINT ["prequeld"]
CMD ["--data-dir=/var/lib/prequel", "--listen=0.0.0.0:8081", "--http=0.0.0.0:8080", \
     "--tls-cert=/etc/prequel/tls/tls.crt", "--tls-key=/etc/prequel/tls/tls.key", \
     "--policy=/etc/prequel/policy/policy"]
