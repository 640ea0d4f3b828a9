#!/bin/sh
# Applies the records on standard input to a table in BigQuery. README.md of the folder above has the commands.
set -eu
table=${TABLE:?is not set. Set it to DATASET.TABLE}
file=$(mktemp)
trap 'rm -f "$file"' EXIT
# NUL and half of a surrogate pair, which BigQuery refuses, become U+FFFD.
perl -pe 's/(\\\\|\\ud[89ab]..\\ud[c-f]..)|\\ud[89a-f]..|\\u0000/$1 \/\/ "\\ufffd"/gie' >"$file"
if grep -qv '^{"op":"[curd]",' "$file"; then
  echo 'A record has an unknown op: a newer release of Longshore wrote it.' >&2
  exit 1
fi
# The delimiter occurs in no JSON text.
bq load --replace --source_format=CSV --field_delimiter="$(printf '\001')" --quote= "${table}_staged" "$file" line:STRING
sed "s/<% table %>/$table/; s/<% id_field %>/${ID_FIELD:-id}/; s/<% begin %>/${BEGIN:-FALSE}/" "$(dirname "$0")/load.sql" |
  bq query --use_legacy_sql=false
