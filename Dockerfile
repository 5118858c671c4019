# Builds the package, then installs it without development dependencies.
FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN npm ci && npm pack

FROM node:24-bookworm-slim
ENV PONTE_ENV=production PONTE_HOST=0.0.0.0 PONTE_DATA_DIR=/data
WORKDIR /app
COPY --from=build /source/ponte-*.tgz ./
RUN npm install --omit=dev --no-audit --no-fund ./ponte-*.tgz && rm ponte-*.tgz \
  && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Longer than PONTE_DRAIN_SECONDS and the ten seconds after it: stop with --time 20.
STOPSIGNAL SIGTERM
CMD ["node", "node_modules/ponte/cli/bin.cjs", "serve"]
