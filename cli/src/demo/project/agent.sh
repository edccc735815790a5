#!/bin/sh
# A scripted stand-in for a coding agent: it reads its prompt, looks at the tests, and mends one thing a turn.
set -eu
prompt=$(cat)
printf '%s\n' "$prompt" | head -n 1
broken=$(./test.sh | sed -n 's/^FAIL  \([a-z]*\) .*/\1/p' | head -n 1)
case $broken in
    sub) new='sub() { echo $(($1 - $2)); }' ;;
    mul) new='mul() { echo $(($1 * $2)); }' ;;
    max) new='max() { if [ "$1" -gt "$2" ]; then echo "$1"; else echo "$2"; fi; }' ;;
    *) echo "I see nothing to mend."; exit 0 ;;
esac
echo "The test of $broken fails. I mend $broken in calc.sh and leave the rest for the next round."
while IFS= read -r line; do
    case $line in
        "$broken()"*) printf '%s\n' "$new" ;;
        *) printf '%s\n' "$line" ;;
    esac
done < calc.sh > calc.new
mv calc.new calc.sh
