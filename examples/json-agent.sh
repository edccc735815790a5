#!/bin/sh
# An agent that prints JSON lines: its own session, what it used, and how its turn ended.
cat > /dev/null
echo "{\"type\":\"session\",\"id\":\"${GOALD_AGENT_SESSION:-session-1}\"}"
echo '{"type":"text","text":"I look at the workspace."}'
echo "worked" >> notes.txt
echo '{"type":"usage","scope":"run","inputTokens":1200,"outputTokens":80,"costMicroUsd":2500}'
echo '{"type":"end","result":"completed","text":"notes.txt has another line."}'
