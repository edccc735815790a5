#!/bin/sh
# An exercise: the same goal, reached in its third round, with a cap of 5 rounds and with a cap of 1; then a goal that
# nobody ever reports on, which runs exactly to its cap. Needs goal on the path; works in a folder of its own.
#
#     sh examples/caps.sh
set -u
agent=$(cd "$(dirname "$0")" && pwd)/never-reports.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

show() { # what to say, a session's name
    echo "$1: $(goal -C "$folder" -s "$2" status | head -n 1)"
    goal -C "$folder" -s "$2" clear > /dev/null
    rm -f "$folder/lines.txt"
}

check="[ \$(cat lines.txt | wc -l) -ge 3 ]"
goal -C "$folder" -s five run --agent "$agent" --max-rounds 5 --check "$check" "three lines" > /dev/null
show "a cap of 5" five
goal -C "$folder" -s one run --agent "$agent" --max-rounds 1 --check "$check" "three lines" > /dev/null
show "a cap of 1" one
goal -C "$folder" -s never run --agent "$agent" --max-rounds 4 "say when you are done" > /dev/null
show "never reported, a cap of 4" never
