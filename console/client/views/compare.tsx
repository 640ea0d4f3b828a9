import { useState } from 'preact/hooks'
import type { ComparisonResponse, SnapshotSummary } from '../../contract/snapshots.ts'
import { RecordItem } from '../components/document-item.tsx'
import { FactsGrid } from '../components/facts-grid.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { Pager } from '../components/pager.tsx'
import { Summary } from '../components/summary.tsx'
import { Time } from '../components/time.tsx'
import { useConnection } from '../connection.tsx'
import { formatCount } from '../model/format.ts'
import { links } from '../model/route.ts'
import { firstRecord, recordPages } from '../model/set-counts.ts'
import { api, withQuery } from '../request.ts'
import { useRequest } from '../use-request.ts'

/** Two kept snapshots: how many documents differ, and each of them field by field. */
export function Compare({ entity, base, runId }: { entity: string; base: string; runId: string }) {
  const [page, setPage] = useState(0)
  const { data, error } = useRequest<ComparisonResponse>(
    withQuery(api`/entities/${entity}/compare/${base}/${runId}`, { from: firstRecord(page) }),
  )
  useConnection(error)
  const [total, setTotal] = useState(0)
  if (data && data.total !== total) setTotal(data.total)
  return (
    <>
      <div class="section-head">
        <h1>Compare snapshots of {entity}</h1>
        <a href={links.compare(entity, runId, base)}>Swap</a>
      </div>
      {!data && (error ? <ErrorNotice error={error} /> : <p class="empty">Reading both snapshots…</p>)}
      {data && <Facts entity={entity} data={data} />}
      {data && <Summary lines={data.summary} />}
      <section aria-labelledby="records">
        <h2 id="records">Documents that differ</h2>
        {data?.total === 0 && <p class="empty">All documents are equal.</p>}
        <div class="documents">
          {data?.records.map((record) => (
            <RecordItem key={record.path} entity={entity} record={record} />
          ))}
        </div>
        <Pager label="Documents that differ" page={page} pages={recordPages(total)} onChange={setPage} />
      </section>
    </>
  )
}

function Facts({ entity, data: { before, after, counts } }: { entity: string; data: ComparisonResponse }) {
  const snapshot = ({ runId, openedAt }: SnapshotSummary) => (
    <a href={links.snapshot(entity, runId)}>
      <Time time={openedAt} />
    </a>
  )
  return (
    <FactsGrid
      facts={[
        ['Before', snapshot(before)],
        ['After', snapshot(after)],
        ['Documents before', formatCount(before.documents)],
        ['Documents after', formatCount(after.documents)],
        ['Created', formatCount(counts.created)],
        ['Updated', formatCount(counts.updated)],
        ['Deleted', formatCount(counts.deleted)],
        ['Unchanged', formatCount(counts.unchanged)],
      ]}
    />
  )
}
