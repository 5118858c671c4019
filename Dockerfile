# Builds the package, then installs what it needs in production, in the versions of the lock file and
# with their integrity. A release gives the base image by its digest: a tag may be moved.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /source
COPY . .
# The commit that `ponte --version` names: docker build --build-arg PONTE_COMMIT=$(git rev-parse HEAD).
ARG PONTE_COMMIT
RUN npm ci && npm pack

FROM ${NODE_IMAGE}
ENV PONTE_ENV=production PONTE_HOST=0.0.0.0 PONTE_DATA_DIR=/data
# A fifth less memory at the same speed: adapters/docs/performance.md.
ENV NODE_OPTIONS=--max-semi-space-size=32
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The scripts are ours, for development. No package of production has one that is needed.
RUN npm ci --omit=dev --ignore-scripts
COPY --from=build /source/ponte-payments-*.tgz ./
RUN tar -xzf ponte-payments-*.tgz --strip-components=1 && rm ponte-payments-*.tgz \
  && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Longer than PONTE_DRAIN_SECONDS and the ten seconds after it: stop with --time 20.
STOPSIGNAL SIGTERM
CMD ["node", "cli/bin.cjs", "serve"]
