#!/bin/sh
# Builds the oracle when needed, then runs it.
#   run.sh golden DIR_IN DIR_OUT   golden files for every scenario of a directory
#   run.sh one FILE                golden of one scenario, on standard output
#   run.sh gen SEED COUNT DIR [--ops WORD,...] [--config-only KEY,...]   random scenarios
#   run.sh serve                   one scenario per line in, one golden per line out
#   run.sh build                   nothing but the build
#   run.sh live CLASS ARGUMENT...  an application that runs on a broker (src/main/java/live)
# MVN_ARGS is handed to Maven, ORACLE_TMP names the scratch directory.
set -e
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

stale() {
  [ ! -f "$here/target/oracle.jar" ] || [ ! -d "$here/target/lib" ] ||
    [ -n "$(find "$here/src" "$here/pom.xml" -newer "$here/target/oracle.jar" -type f 2>/dev/null | head -n 1)" ]
}

build() {
  if stale; then
    (cd "$here" && mvn -q -B ${MVN_ARGS:-} package 1>&2)
  fi
}

# Without flock a directory is the lock; one whose owner no longer lives is taken over.
lock_directory() {
  until mkdir "$here/.build.lock.d" 2>/dev/null; do
    owner=$(cat "$here/.build.lock.d/pid" 2>/dev/null || true)
    if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then
      rm -rf "$here/.build.lock.d"
    else
      sleep 1
    fi
  done
  echo $$ >"$here/.build.lock.d/pid"
}

if stale; then
  if command -v flock >/dev/null 2>&1; then
    (flock 9 && build) 9>"$here/.build.lock"
  else
    lock_directory
    trap 'rm -rf "$here/.build.lock.d"' EXIT INT TERM
    build
    rm -rf "$here/.build.lock.d"
    trap - EXIT INT TERM
  fi
fi
if [ "${1:-}" = build ]; then
  exit 0
fi
if [ "${1:-}" = live ]; then
  class=live.$2
  shift 2
  exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx256m -Dfile.encoding=UTF-8 -cp "$here/target/oracle.jar:$here/target/lib/*" "$class" "$@"
fi
tmp=${ORACLE_TMP:-}
if [ -z "$tmp" ]; then
  if [ -d /dev/shm ] && [ -w /dev/shm ]; then tmp=/dev/shm; else tmp=${TMPDIR:-/tmp}; fi
fi
exec java -XX:-OmitStackTraceInFastThrow -XX:+UseSerialGC -XX:TieredStopAtLevel=${ORACLE_TIER:-4} -Xmx1g -Dfile.encoding=UTF-8 -Duser.timezone=UTC -Duser.language=en \
  -Doracle.tmp="$tmp" -cp "$here/target/oracle.jar:$here/target/lib/*" oracle.Main "$@"
