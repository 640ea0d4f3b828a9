#!/bin/sh
# Applies the records on standard input to a table in Snowflake. README.md of the folder above has the commands.
set -eu
file=$(mktemp)
trap 'rm -f "$file"' EXIT
# NUL and half of a surrogate pair, which Snowflake refuses, become U+FFFD.
perl -pe 's/(\\\\|\\ud[89ab]..\\ud[c-f]..)|\\ud[89a-f]..|\\u0000/$1 \/\/ "\\ufffd"/gie' >"$file"
if grep -qv '^{"op":"[curd]",' "$file"; then
  echo 'A record has an unknown op: a newer release of Longshore wrote it.' >&2
  exit 1
fi
snow sql --filename "$(dirname "$0")/load.sql" -D "file=$file" -D "table=${TABLE:-documents}" \
  -D "id_field=${ID_FIELD:-id}" -D "begin=${BEGIN:-FALSE}"
