import type { SchemaResponse, TableRow } from '../../contract/schema.ts'
import { CommandText } from '../components/copy.tsx'
import { ErrorNotice, Loading, Notice } from '../components/notice.tsx'
import { FactsGrid, Table } from '../components/table.tsx'
import { formatCount, formatTime } from '../model/format.ts'
import { idleMs } from '../model/intervals.ts'
import { links } from '../model/route.ts'
import { presentText, tableTexts, typesText } from '../model/schema-texts.ts'
import { api } from '../request.ts'
import { usePoll } from '../use-request.ts'
import { EntityHead, useEntity } from './entity-head.tsx'

/** The typed table of an entity, and the fields of its documents. */
export function Schema({ entity }: { entity: string }) {
  const { data, error } = usePoll<SchemaResponse>(api`/entities/${entity}/schema`, () => idleMs)
  return (
    <>
      <EntityHead entity={entity} title={`Schema of ${entity}`} current="Schema" polled={useEntity(entity)} />
      {!data && (error ? <ErrorNotice error={error} /> : <Loading />)}
      {data && (data.table ? <TypedTable entity={entity} table={data.table} /> : <NoTable data={data} />)}
      {data && data.changes.length > 0 && <Changes entity={entity} changes={data.changes} />}
      {data?.report && <Fields report={data.report} />}
    </>
  )
}

const Changes = ({ entity, changes }: Pick<SchemaResponse, 'changes'> & { entity: string }) => (
  <section aria-labelledby="changed">
    <h2 id="changed">When fields changed</h2>
    <Table
      columns={[['Published'], ['What changed']]}
      rows={changes.map(({ runId, endedAt, text }) => [
        runId,
        <a href={links.run(entity, runId)}>{formatTime(endedAt)}</a>,
        text,
      ])}
    />
  </section>
)

const NoTable = ({ data }: { data: SchemaResponse }) => (
  <Notice tone="info" title="No typed table.">
    <p>
      With columns in the configuration, each snapshot is also published as an Iceberg table. To propose
      columns:
    </p>
    <CommandText text={data.columnsCommand} />
  </Notice>
)

function TypedTable({ entity, table }: { entity: string; table: TableRow }) {
  const { published, problem, state, history, queries } = table
  return (
    <section aria-labelledby="table">
      <h2 id="table">Table</h2>
      {problem && <Notice tone="warning" title={problem} />}
      <FactsGrid
        facts={[
          ['State', tableTexts[state]],
          ['Rows', published ? formatCount(published.rows) : '-'],
          ['Published', published ? formatTime(published.committedAt) : 'never'],
          ['Run', published ? <a href={links.run(entity, published.runId)}>{published.runId}</a> : '-'],
        ]}
      />
      {published && (
        <Table
          columns={[['Column'], ['Type'], ['Rejected', 'number']]}
          rows={published.columns.map(({ name, type, rejected }) => [
            name,
            name,
            type,
            formatCount(rejected),
          ])}
        />
      )}
      {history.length > 1 && (
        <>
          <h3>Rejected values over time</h3>
          <Table
            columns={[['Published'], ['Rows', 'number'], ['Rejected', 'number']]}
            rows={history.map(({ runId, committedAt, rows, rejected }) => [
              runId,
              formatTime(committedAt),
              formatCount(rows),
              formatCount(rejected),
            ])}
          />
        </>
      )}
      {queries.map(({ engine, text }) => (
        <section key={engine} aria-label={`Query for ${engine}`}>
          <h3>{engine}</h3>
          <CommandText text={text} />
        </section>
      ))}
    </section>
  )
}

const Fields = ({ report }: { report: NonNullable<SchemaResponse['report']> }) => (
  <section aria-labelledby="fields">
    <h2 id="fields">Fields of {formatCount(report.documents)} documents</h2>
    {report.truncated && <p>The documents have more fields than the schema report contains.</p>}
    <Table
      columns={[['Field'], ['Types'], ['Documents', 'number']]}
      rows={report.fields.map((field) => [
        field.path,
        field.path,
        <span class="field-types">{typesText(field)}</span>,
        presentText(field, report.documents),
      ])}
    />
  </section>
)
