-- Applies the records on standard input to a table. The whole set is one transaction, and applying it again changes
-- nothing. README.md has the commands.
--
-- Variables of psql: `table` (documents), `id_field` (id), and `begin` to replace all rows.
\set ON_ERROR_STOP on
\encoding UTF8
SET client_min_messages = warning;
\if :{?table} \else \set table documents \endif
\if :{?id_field} \else \set id_field id \endif
-- `crm.clients` is a table in a schema. Capitals are kept.
SELECT string_agg(quote_ident(part), '.') AS quoted_table
FROM unnest(CASE WHEN :'table' LIKE '%"%' THEN parse_ident(:'table') ELSE string_to_array(:'table', '.') END) AS part
\gset

BEGIN;
CREATE TABLE IF NOT EXISTS :quoted_table (key text PRIMARY KEY, document jsonb NOT NULL);
CREATE TEMP TABLE staged (position bigserial, line text) ON COMMIT DROP;
-- The quote and the delimiter occur in no JSON text.
\copy staged (line) FROM pstdin WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')

-- NUL and half of a surrogate pair, which Postgres refuses, become U+FFFD and `more`. chr(31) stands for an escaped
-- backslash.
CREATE OR REPLACE FUNCTION pg_temp.repaired(line text, more text) RETURNS json LANGUAGE sql IMMUTABLE AS $$
SELECT (CASE WHEN strpos(line, '\u') = 0 THEN line ELSE replace(regexp_replace(replace(line, '\\', chr(31)),
  '\\u([dD][89abAB]..)(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u([dD][c-fC-F]..)|\\u(0000)',
  '\\ufffd' || more, 'g'), chr(31), '\\') END)::json
$$;
-- A number that Postgres cannot hold becomes text, and a document that it cannot hold for another reason a string.
CREATE OR REPLACE FUNCTION pg_temp.stored(document text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN document::jsonb;
EXCEPTION WHEN numeric_value_out_of_range OR program_limit_exceeded OR statement_too_complex THEN
  BEGIN
    -- chr(1) occurs in no JSON text. Two in a row follow each string, and one is on each side of a number.
    RETURN replace(replace(regexp_replace(document,
      '("(?:[^"\\]|\\.)*")|(-?[0-9.]{255,}(?:[eE][-+]?[0-9]+)?|-?[0-9.]+[eE][-+]?[0-9]{4,})',
      '\1' || chr(1) || '\2' || chr(1), 'g'), chr(1) || chr(1), ''), chr(1), '"')::jsonb;
  EXCEPTION WHEN numeric_value_out_of_range OR program_limit_exceeded OR statement_too_complex THEN
    RETURN to_jsonb(document);
  END;
END
$$;

-- The id as sent, of which only the form of strings is made the same. A document without an id is its own key.
CREATE TEMP VIEW records AS
SELECT position, record ->> 'op' AS op, pg_temp.stored(coalesce(
    whole -> 'after', whole -> 'before')::text) AS document,
  CASE json_typeof(id)
    WHEN 'string' THEN id::jsonb::text
    WHEN 'number' THEN id::text
    WHEN 'boolean' THEN id::text
    ELSE coalesce(record -> 'after', record -> 'before')::text
  END AS key
FROM (
  SELECT position, record, whole, coalesce(record -> 'id', record -> 'after' -> :'id_field') AS id
  FROM (
    SELECT position, pg_temp.repaired(line, '\1\2\3') AS record, pg_temp.repaired(line, '') AS whole FROM staged
    OFFSET 0
  ) AS parsed
) AS identified;

-- An unknown `op` ends the transaction: a newer release wrote it.
CREATE TEMP TABLE changes (
  key text, document jsonb, op text NOT NULL CONSTRAINT known_op CHECK (op IN ('c', 'u', 'r', 'd'))
) ON COMMIT DROP;
-- Of several records of a document, the last one counts. A long key does not fit into the index.
INSERT INTO changes
SELECT DISTINCT ON (key) key, document, op
FROM (
  SELECT position, op, document,
    CASE WHEN octet_length(key) <= 2000 THEN key ELSE 'sha256:' || encode(sha256(convert_to(key, 'UTF8')), 'hex') END AS key
  FROM records
) AS keyed
ORDER BY key, position DESC;

\if :{?begin}
TRUNCATE :quoted_table;
\endif
DELETE FROM :quoted_table AS target USING changes WHERE target.key = changes.key AND op = 'd';
INSERT INTO :quoted_table AS target SELECT key, document FROM changes WHERE op <> 'd'
ON CONFLICT (key) DO UPDATE SET document = excluded.document WHERE target.document::text <> excluded.document::text;
DROP VIEW records;
COMMIT;
