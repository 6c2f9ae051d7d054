#!/usr/bin/env bash
# Runs Apache Kafka (KRaft, each node broker and controller) on loopback, from
# the jars of Maven. Needs Java 17; downloads need Maven.
#
#   broker.sh start DIR PORT [-n NODES] [-w PID] [-m HEAP]
#   broker.sh stop|kill DIR
#   broker.sh libs
#
# start  node i listens on 127.0.0.1:PORT+2(i-1), its controller one port
#        higher; returns when all listen. DIR gets one folder a node with
#        configuration, data and broker.log; data stays there after stop.
#   -n   number of nodes, 1
#   -w   process to watch: when it is gone, the nodes are killed
#   -m   heap of a node, 512m
# stop   stops the nodes of DIR; kill does not wait for them to hand over
# libs   prints the folder of jars, filling it if need be: $KAFKA_LIBS, or a
#        folder below $MILLRACE_CACHE (default: the user's cache folder)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
version=4.3.1

libs() {
  if [ -n "${KAFKA_LIBS:-}" ]; then (cd "$KAFKA_LIBS" && pwd); return; fi
  local to=${MILLRACE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/millrace}/kafka-$version
  if [ ! -d "$to" ]; then
    command -v mvn >/dev/null || { echo "no jars in $to and no mvn to fetch them; set KAFKA_LIBS to a folder of Kafka's jars" >&2; return 1; }
    mkdir -p "$(dirname "$to")"
    local tmp; tmp=$(mktemp -d "$to.XXXXXX")
    mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$tmp" >&2 || { rm -rf "$tmp"; return 1; }
    mv -T "$tmp" "$to" 2>/dev/null || rm -rf "$tmp" # another one was quicker
  fi
  echo "$to"
}

alive() { kill -0 "$1" 2>/dev/null; }

configure() { # node, folder
  local i=$1 d=$2 copies=$((nodes < 3 ? nodes : 3)) voters=
  for ((j = 1; j <= nodes; j++)); do voters+=${voters:+,}$j@127.0.0.1:$((port + 2 * (j - 1) + 1)); done
  local at=$((port + 2 * (i - 1)))
  cat >"$d/server.properties" <<P
process.roles=broker,controller
node.id=$i
controller.quorum.voters=$voters
listeners=PLAINTEXT://127.0.0.1:$at,CONTROLLER://127.0.0.1:$((at + 1))
advertised.listeners=PLAINTEXT://127.0.0.1:$at
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
log.dirs=$d/data
num.partitions=1
default.replication.factor=$copies
offsets.topic.replication.factor=$copies
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=$copies
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=$copies
share.coordinator.state.topic.min.isr=1
# Joins need not wait for members that may come.
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=100
# Test records carry event times of the past: time retention would delete them.
log.retention.ms=-1
P
}

start() {
  local jars; jars=$(libs)
  mkdir -p "$dir"; dir=$(cd "$dir" && pwd)
  echo "$nodes" >"$dir/nodes"
  for ((i = 1; i <= nodes; i++)); do
    local d=$dir/$i; mkdir -p "$d"
    configure "$i" "$d"
    if [ -f "$d/pid" ] && alive "$(cat "$d/pid")"; then continue; fi
    [ -f "$d/data/meta.properties" ] || java -Xmx256m -cp "$jars/*" kafka.tools.StorageTool format --ignore-formatted \
      -t 4L6g3nShT-eMCtK--X86sw -c "$d/server.properties" >"$d/format.log" 2>&1 || { cat "$d/format.log" >&2; return 1; }
    (cd "$d" && exec setsid nohup java "-Xmx$heap" "-Xms$heap" -cp "$jars/*" kafka.Kafka server.properties >broker.log 2>&1 </dev/null & echo $! >"$d/pid")
  done
  if [ -n "$watch" ]; then
    (
      exec </dev/null >/dev/null 2>&1
      while alive "$watch"; do
        up=0
        for f in "$dir"/*/pid; do [ -f "$f" ] && alive "$(cat "$f")" && up=1; done
        [ $up = 1 ] || exit 0
        sleep 0.5
      done
      slay
    ) &
    disown
  fi
  for ((i = 1; i <= nodes; i++)); do await "$dir/$i" $((port + 2 * (i - 1))); done
}

await() { # folder, port
  for ((t = 0; t < 300; t++)); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$2") 2>/dev/null; then return 0; fi
    alive "$(cat "$1/pid")" || { tail -n 20 "$1/broker.log" >&2; echo "the node died, see $1/broker.log" >&2; return 1; }
    sleep 0.2
  done
  echo "the node does not listen on 127.0.0.1:$2 after 60 s, see $1/broker.log" >&2
  return 1
}

stop() {
  local f p
  for f in "$dir"/*/pid; do [ -f "$f" ] && kill "$(cat "$f")" 2>/dev/null || true; done
  for f in "$dir"/*/pid; do
    [ -f "$f" ] || continue
    p=$(cat "$f")
    for ((t = 0; t < 50; t++)); do alive "$p" || break; sleep 0.2; done
    kill -9 "$p" 2>/dev/null || true
    rm -f "$f"
  done
}

slay() { for f in "$dir"/*/pid; do [ -f "$f" ] || continue; kill -9 "$(cat "$f")" 2>/dev/null || true; rm -f "$f"; done; }

usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }

cmd=${1:-}; shift || true
case $cmd in
libs) libs ;;
stop) dir=${1:?DIR}; stop ;;
kill) dir=${1:?DIR}; slay ;;
start)
  dir=${1:?DIR}; port=${2:?PORT}; shift 2
  nodes=1 watch= heap=512m
  while getopts n:w:m: o; do
    case $o in n) nodes=$OPTARG ;; w) watch=$OPTARG ;; m) heap=$OPTARG ;; *) usage ;; esac
  done
  start ;;
*) usage ;;
esac
