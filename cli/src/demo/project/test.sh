#!/bin/sh
# The tests that must pass.
. ./calc.sh
failed=0
expect() {
    if [ "$2" = "$3" ]; then
        echo "ok    $1 = $3"
    else
        echo "FAIL  $1: expected $3, got $2"
        failed=$((failed + 1))
    fi
}
expect "add 2 3" "$(add 2 3)" 5
expect "sub 7 4" "$(sub 7 4)" 3
expect "mul 6 7" "$(mul 6 7)" 42
expect "max 2 9" "$(max 2 9)" 9
[ "$failed" -eq 0 ] || { echo "$failed test(s) failed"; exit 1; }
echo "all tests passed"
