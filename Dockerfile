# The default command runs the demo: docker build -t svgm . && docker run --rm -v "$PWD/out:/out" svgm
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /svgm
COPY pyproject.toml CMakeLists.txt README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/svgm-*.whl)[picture,mesh]" && rm -rf /wheels && useradd --create-home svgm && install -d -o svgm /out
USER svgm
WORKDIR /out
CMD ["svgm", "demo", "--output", "/out"]
