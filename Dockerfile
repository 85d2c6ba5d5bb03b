# tercet serve, in a small image without a compiler, as a user without rights.
#   docker build -t tercet .
#   docker run -v ./models:/models -p 127.0.0.1:8420:8420 tercet --users /models/team.users --url http://localhost:8420
FROM python:3.13-slim AS build
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends g++ \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY constraints-build.txt constraints.txt ./
RUN pip install --no-cache-dir --require-hashes -r constraints-build.txt \
 && python -m venv /opt/tercet \
 && /opt/tercet/bin/pip install --no-cache-dir --require-hashes --only-binary :all: -r constraints.txt
COPY pyproject.toml CMakeLists.txt README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-build-isolation --no-deps -w /wheels . \
 && /opt/tercet/bin/pip install --no-cache-dir --no-deps --no-index /wheels/*.whl

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /models tercet \
 && install -d -o tercet /models
COPY --from=build /opt/tercet /opt/tercet
ENV PATH=/opt/tercet/bin:$PATH PYTHONUNBUFFERED=1
USER 10001
WORKDIR /models
VOLUME /models
EXPOSE 8420
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(r.Request('http://127.0.0.1:8420/health', headers={'Host': os.environ.get('TERCET_HOST', '127.0.0.1:8420')}), timeout=4)"]
ENTRYPOINT ["tercet", "serve", "/models", "--host", "0.0.0.0"]
