# syntax=docker/dockerfile:1
# The image of a ticket machine.
FROM rust:1 AS build
WORKDIR /src
COPY . .
RUN cargo build --release \
    && strip target/release/tickets

FROM debian:stable-slim
ARG VERSION=1
ENV LANG=C.UTF-8 PORT=8080
LABEL maker="somebody"
COPY --from=build /src/target/release/tickets /usr/bin/
EXPOSE 8080/tcp
VOLUME /data
USER nobody
HEALTHCHECK CMD curl -f localhost
ENTRYPOINT ["tickets"]
CMD ["--port", "8080"]
