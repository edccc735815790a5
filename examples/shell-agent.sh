#!/bin/sh
# The smallest useful agent: reads the prompt, does a little, reports when it believes it is done.
prompt=$(cat)
printf '%s\n' "$prompt" | head -n 1
echo "worked in round ${GOALD_ROUND:-of a message}" >> notes.txt
"$GOALD_BIN" agent complete --summary "notes.txt says what was done"
