#!/usr/bin/env bash
# drive.sh MODEL COMMAND...: creates MODEL, feeds it, asks it. COMMAND is how `prequel` is called,
# server address included. Fails when any step does.
set -euo pipefail

model=$1
shift
command=("$@")
prequel() { "${command[@]}" "$@"; }

prequel create "$model" --inputs x1,x2,x3,x4 --target y --likelihood gaussian
prequel generate linear --rows 2000 --seed 1 | prequel learn "$model" --csv - --batch 50
# Other rows of the same stream, which the model has not seen.
predictions=$(prequel generate linear --rows 2003 --seed 1 |
  prequel predict "$model" --csv - --skip 2000)
echo "$predictions"
# A line of column names and one for each of the three rows.
(($(wc -l <<<"$predictions") >= 4)) || { echo "drive.sh: expected three predictions" >&2; exit 1; }
prequel eval "$model"
