#!/bin/sh
# An agent that works and never reports: with a check, the check decides; without one, the cap on rounds does.
cat > /dev/null
echo "line" >> lines.txt
