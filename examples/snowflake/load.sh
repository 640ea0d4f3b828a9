#!/bin/sh
# Applies the records on standard input to a table in Snowflake. README.md of the folder above has the commands.
set -eu
folder=$(dirname "$0")
file=$(mktemp)
trap 'rm -f "$file"' EXIT
perl "$folder/../keyed-records.pl" "${ID_FIELD:-id}" >"$file"
snow sql --filename "$folder/load.sql" -D "file=$file" -D "table=${TABLE:-documents}" -D "begin=${BEGIN:-FALSE}"
