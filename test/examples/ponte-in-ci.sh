#!/bin/sh
# Starts a host with fifty test payments, runs a command against it, and ends the host:
#   sh ponte-in-ci.sh npm test
# The command gets PONTE_URL and PONTE_KEY. PONTE_PORT is 8080 unless it is set.
set -eu

ponte=${PONTE:-./node_modules/.bin/ponte}
PONTE_DATA_DIR=$(mktemp -d)
PONTE_PORT=${PONTE_PORT:-8080}
export PONTE_DATA_DIR PONTE_PORT
log=$PONTE_DATA_DIR/ci.log
host=

end() {
  code=$?
  [ -z "$host" ] || kill "$host" 2>/dev/null || true
  [ "$code" -eq 0 ] || tail -n 50 "$log" >&2 || true
  [ -z "$host" ] || wait "$host" 2>/dev/null || true
  rm -rf "$PONTE_DATA_DIR"
  exit "$code"
}
trap end EXIT
trap 'exit 1' HUP INT TERM

# Left unquoted: it may be a program with its arguments.
$ponte seed --json > "$PONTE_DATA_DIR/seed.json" 2> "$log"
PONTE_KEY=$(sed -n 's/.*"secret": *"\([^"]*\)".*/\1/p' "$PONTE_DATA_DIR/seed.json")
PONTE_URL=http://127.0.0.1:$PONTE_PORT
# Each decision of the fake partner takes no time.
PONTE_FAKE_PARTNER_DELAY_MS=0 $ponte serve >> "$log" 2>&1 &
host=$!
# Another host at this port does not know the key: then this one has ended.
until curl -fs "$PONTE_URL/v1/me" -H "X-API-Key: $PONTE_KEY" > "$PONTE_DATA_DIR/me.json"; do
  kill -0 "$host"
  sleep 0.2
done

PONTE_KEY=$PONTE_KEY PONTE_URL=$PONTE_URL "$@"
