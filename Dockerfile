# Forebay as a server: built from this repository, run as an unprivileged user.
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked -p forebay

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /var/lib/forebay --create-home forebay \
    && chmod 0700 /var/lib/forebay
COPY --from=build /src/target/release/forebay /usr/local/bin/forebay
COPY --chmod=0755 deploy/healthcheck.sh /usr/local/bin/forebay-healthcheck
ENV FOREBAY_HOME=/var/lib/forebay
WORKDIR /var/lib/forebay
USER 10001
VOLUME /var/lib/forebay
EXPOSE 7878
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 CMD ["forebay-healthcheck"]
ENTRYPOINT ["forebay"]
CMD ["serve", "--listen", "0.0.0.0:7878", "--stateless"]
