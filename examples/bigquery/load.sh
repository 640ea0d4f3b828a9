#!/bin/sh
# Applies the records on standard input to a table in BigQuery. README.md of the folder above has the commands.
set -eu
table=${TABLE:?is not set. Set it to DATASET.TABLE}
folder=$(dirname "$0")
file=$(mktemp)
trap 'rm -f "$file"' EXIT
perl "$folder/../keyed-records.pl" "${ID_FIELD:-id}" >"$file"
bq load --replace --source_format=CSV --field_delimiter="$(printf '\001')" --quote= "${table}_staged" "$file" \
  op:STRING,key:STRING,document:STRING
sed "s/<% table %>/$table/; s/<% begin %>/${BEGIN:-FALSE}/" "$folder/load.sql" | bq query --use_legacy_sql=false
