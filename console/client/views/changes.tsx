import { useState } from 'preact/hooks'
import { timeOfRunId } from '../../../stored/run/run-id.ts'
import type { RecordsResponse, SetRow, SummaryResponse } from '../../contract/change-sets.ts'
import { RecordItem, SafeText } from '../components/document-item.tsx'
import { ShortTime } from '../components/inline.tsx'
import { ErrorNotice, Loading, Notice } from '../components/notice.tsx'
import { Pager } from '../components/pager.tsx'
import { FactsGrid, TableHead } from '../components/table.tsx'
import { changesNotices } from '../model/entity-summary.ts'
import { links } from '../model/route.ts'
import {
  countCells,
  countColumns,
  countFacts,
  firstRecord,
  recordPages,
  recordsNotice,
} from '../model/set-counts.ts'
import { plainId } from '../model/snapshot.ts'
import { api, withQuery } from '../request.ts'
import { useRequest } from '../use-request.ts'
import { EntityHead, useEntity } from './entity-head.tsx'

export const Changes = ({ entity, runId }: { entity: string; runId: string | undefined }) =>
  runId === undefined ? <ChangeSets entity={entity} /> : <ChangeSet entity={entity} runId={runId} />

function ChangeSets({ entity }: { entity: string }) {
  const polled = useEntity(entity)
  const { data, error } = polled
  const notice = data && changesNotices[data.row.changes.kind]
  return (
    <>
      <EntityHead entity={entity} title={`Changes of ${entity}`} current="Changes" polled={polled} />
      {!data && (error ? <ErrorNotice error={error} /> : <Loading />)}
      {notice && (
        <Notice tone="info" title={notice.title}>
          <p>{notice.text}</p>
        </Notice>
      )}
      {data && data.sets.length > 0 && <Sets entity={entity} sets={data.sets.toReversed()} />}
    </>
  )
}

function Sets({ entity, sets }: { entity: string; sets: readonly SetRow[] }) {
  const columns = countColumns(sets)
  return (
    <table>
      <TableHead columns={[['Run'], ...columns.map((name) => [titles[name], 'number'] as const)]} />
      <tbody>
        {sets.map((set) => (
          <tr key={set.runId}>
            <th scope="row">
              <a href={links.changeSet(entity, set.runId)}>
                <ShortTime time={new Date(timeOfRunId(set.runId)).toISOString()} />
              </a>
            </th>
            {countCells(set, columns)?.map(([name, count]) => (
              <td key={name} class="number">
                {count}
              </td>
            )) ?? <td colSpan={columns.length}>Reset: read the snapshot</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const titles = { created: 'Created', updated: 'Updated', deleted: 'Deleted', delivered: 'Delivered' }

/** One change set: its counts, and its records with before and after. */
function ChangeSet({ entity, runId }: { entity: string; runId: string }) {
  const [page, setPage] = useState(0)
  const from = firstRecord(page)
  const { data, error } = useRequest<RecordsResponse>(
    withQuery(api`/entities/${entity}/changes/${runId}`, { from }),
  )
  const notice = data && recordsNotice(data)
  const [total, setTotal] = useState(0)
  if (data && data.total !== total) setTotal(data.total)
  return (
    <>
      <h1>Change set of {entity}</h1>
      <p class="subtitle">{runId}</p>
      {!data && (error ? <ErrorNotice error={error} /> : <Loading />)}
      {data && <FactsGrid facts={countFacts(data)} />}
      {data && <Kept entity={entity} kept={data.kept} />}
      {data && data.total > 0 && <SetSummary entity={entity} runId={runId} />}
      {notice === 'reset' && (
        <Notice tone="info" title="A reset has no records.">
          <p>
            It starts a new chain: readers load <a href={links.snapshot(entity, runId)}>the snapshot</a>.
          </p>
        </Notice>
      )}
      <section aria-labelledby="records">
        <h2 id="records">Records</h2>
        {notice === 'nothing' && <p class="empty">Nothing was created, updated or deleted.</p>}
        <div class="documents">
          {data?.records.map((record) => (
            <RecordItem key={record.path} entity={entity} record={record} />
          ))}
        </div>
        <Pager label="Records of the change set" page={page} pages={recordPages(total)} onChange={setPage} />
      </section>
    </>
  )
}

/** It reads all records, so it arrives after the first of them. */
function SetSummary({ entity, runId }: { entity: string; runId: string }) {
  const { data, error } = useRequest<SummaryResponse>(api`/entities/${entity}/changes/${runId}/summary`)
  if (error) return <ErrorNotice error={error} />
  return data ? <Summary lines={data.lines} /> : <p class="empty">Reading all records…</p>
}

/** Documents that readers keep although the snapshot does not have them, each with its history. */
const Kept = ({ entity, kept: { texts, ids } }: Pick<RecordsResponse, 'kept'> & { entity: string }) => (
  <>
    {texts.map((text) => (
      <p key={text} class="facts">
        {text}
      </p>
    ))}
    {ids.length > 0 && (
      <p class="facts">
        See their history:{' '}
        {ids.map((id, index) => (
          <>
            {index > 0 && ', '}
            <a key={id.text} href={links.document(entity, plainId(id))}>
              <SafeText text={plainId(id)} />
            </a>
          </>
        ))}
      </p>
    )}
  </>
)

/** What changed by field and value. */
const Summary = ({ lines }: { lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <section aria-labelledby="summary">
      <h2 id="summary">What changed</h2>
      <ul class="story">
        {lines.map((line) => (
          <li key={line}>
            <SafeText text={line} />
          </li>
        ))}
      </ul>
    </section>
  )
