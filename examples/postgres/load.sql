-- Applies the records on standard input to a table. The whole set is one transaction, and applying it again changes
-- nothing. README.md has the commands.
--
-- Variables of psql: `table` (documents), `id_field` (id), and `begin` to replace all rows.
-- NUL and half of a surrogate pair, which Postgres refuses, become U+FFFD. Numbers keep every digit.
\set ON_ERROR_STOP on
\encoding UTF8
SET client_min_messages = warning;
\if :{?table} \else \set table documents \endif
\if :{?id_field} \else \set id_field id \endif

BEGIN;
CREATE TABLE IF NOT EXISTS :"table" (key text PRIMARY KEY, document jsonb NOT NULL);
CREATE TEMP TABLE staged (position bigserial, line text) ON COMMIT DROP;
-- The quote and the delimiter occur in no JSON text.
\copy staged (line) FROM pstdin WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')

-- chr(31) stands for an escaped backslash.
CREATE TEMP VIEW records AS
SELECT position, replace(regexp_replace(replace(line, '\\', chr(31)),
  '\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]..|\\u0000', '\\ufffd', 'g'),
  chr(31), '\\')::jsonb AS record
FROM staged;

-- An unknown `op` ends the transaction: a newer release wrote it.
CREATE TEMP TABLE changes (
  key text, document jsonb, op text NOT NULL CONSTRAINT known_op CHECK (op IN ('c', 'u', 'r', 'd'))
) ON COMMIT DROP;
-- Of several records of a document, the last one counts. A document without an id is its own key.
INSERT INTO changes
SELECT DISTINCT ON (key) key, document, op
FROM (
  SELECT position, op, document, coalesce(nullif(document -> :'id_field', 'null')::text, md5(document::text)) AS key
  FROM (
    SELECT position, record ->> 'op' AS op, coalesce(record -> 'after', record -> 'before') AS document FROM records
  ) AS whole
) AS keyed
ORDER BY key, position DESC;

\if :{?begin}
TRUNCATE :"table";
\endif
DELETE FROM :"table" AS target USING changes WHERE target.key = changes.key AND op = 'd';
INSERT INTO :"table" AS target SELECT key, document FROM changes WHERE op <> 'd'
ON CONFLICT (key) DO UPDATE SET document = excluded.document WHERE target.document::text <> excluded.document::text;
DROP VIEW records;
COMMIT;
