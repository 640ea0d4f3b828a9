import { useState } from 'preact/hooks'
import { apiPrefix } from '../../contract/api.ts'
import type { DocumentRow } from '../../contract/change-sets.ts'
import type { DocumentsResponse, SnapshotSummary, SnapshotsResponse } from '../../contract/snapshots.ts'
import { ActionButton } from '../components/action-button.tsx'
import { DocumentItem, SafeText } from '../components/document-item.tsx'
import { Time } from '../components/inline.tsx'
import { ErrorNotice, Loading, Notice } from '../components/notice.tsx'
import { Pager } from '../components/pager.tsx'
import { FactsGrid } from '../components/table.tsx'
import { Terms } from '../components/term.tsx'
import { formatBytes, formatCount, formatTime, plural } from '../model/format.ts'
import { links } from '../model/route.ts'
import {
  documentsText,
  marksText,
  pageStart,
  partsOf,
  positionPath,
  shownSnapshot,
} from '../model/snapshot.ts'
import { api, withQuery } from '../request.ts'
import { useRequest } from '../use-request.ts'
import { EntityHead, useEntity, useEntityRequest } from './entity-head.tsx'

/** The kept snapshots of an entity, and the documents of one of them: by default the published one. */
export function Snapshots({ entity, runId }: { entity: string; runId: string | undefined }) {
  const polled = useEntity(entity)
  const { data, error } = useEntityRequest<SnapshotsResponse>(polled, api`/entities/${entity}/snapshots`)
  const snapshot = data && shownSnapshot(data, runId)
  return (
    <>
      <EntityHead entity={entity} title={`Snapshots of ${entity}`} current="Snapshots" polled={polled} />
      {!data && (error ? <ErrorNotice error={error} /> : <Loading />)}
      {data && data.snapshots.length === 0 && (
        <Notice tone="info" title="No snapshot has been published.">
          <p>
            <a href={links.entity(entity)}>Start a sync</a> to publish the first one.
          </p>
        </Notice>
      )}
      {data && data.snapshots.length > 0 && (
        <Choice entity={entity} data={data} shown={snapshot?.runId ?? ''} />
      )}
      {data && data.snapshots.length > 0 && !snapshot && (
        <Notice tone="warning" title="This snapshot does not exist.">
          <p>keepSnapshots limits how many snapshots are kept.</p>
        </Notice>
      )}
      {data && snapshot && (
        <Snapshot
          key={snapshot.runId}
          entity={entity}
          snapshot={snapshot}
          isPublished={snapshot.runId === data.published}
          runningRunId={polled.data?.row.running?.runId}
          onDone={polled.refresh}
        />
      )}
    </>
  )
}

function Choice({ entity, data, shown }: { entity: string; data: SnapshotsResponse; shown: string }) {
  const onChange = (runId: string) => {
    location.hash = links.snapshot(entity, runId)
  }
  return (
    <label class="choice">
      Snapshot{' '}
      <select value={shown} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {shown === '' && <option value="">Choose one</option>}
        {data.snapshots.map((snapshot) => (
          <option key={snapshot.runId} value={snapshot.runId}>
            {formatTime(snapshot.openedAt)}, {plural(snapshot.documents, 'document')}
            {marksText(snapshot, data.published)}
          </option>
        ))}
      </select>
    </label>
  )
}

interface SnapshotProps {
  readonly entity: string
  readonly snapshot: SnapshotSummary
  readonly isPublished: boolean
  readonly runningRunId: string | undefined
  readonly onDone: () => void
}

function Snapshot({ entity, snapshot, isPublished, runningRunId, onDone }: SnapshotProps) {
  const { runId, openedAt, documents, uniqueIds, reportedTotal, proof, attempts, pages, bytes } = snapshot
  const total = reportedTotal === null ? 'none' : formatCount(reportedTotal)
  return (
    <>
      <FactsGrid
        facts={[
          ['As of', <Time key="time" time={openedAt} />],
          ['Documents', formatCount(documents)],
          ['Unique ids', formatCount(uniqueIds)],
          ['Reported total', total],
          ['Proof', <Terms key="proof" text={proof} />],
          ['Attempts', formatCount(attempts)],
          ['Pages', formatCount(pages)],
          ['Stored', formatBytes(bytes)],
          [
            'Run',
            <a key="run" href={links.run(entity, runId)}>
              See what happened
            </a>,
          ],
        ]}
      />
      <div class="actions">
        {isPublished ? (
          <>
            <ActionButton name="verify" target={{ entity }} onDone={onDone} />
            <ActionButton name="repair" target={{ entity }} onDone={onDone} />
          </>
        ) : (
          <ActionButton name="republish" target={{ entity, runId, runningRunId }} onDone={onDone} />
        )}
      </div>
      <p>
        <a href={`${apiPrefix}${api`/entities/${entity}/snapshots/${runId}/download`}`} download>
          Download all documents (NDJSON)
        </a>
      </p>
      <FindDocument entity={entity} runId={runId} />
      <Documents entity={entity} snapshot={snapshot} />
    </>
  )
}

function Documents({ entity, snapshot: { runId, pages } }: { entity: string; snapshot: SnapshotSummary }) {
  const [position, setPosition] = useState(pageStart(0))
  const { page, from } = positionPath(position)
  const path = withQuery(api`/entities/${entity}/snapshots/${runId}/pages/${page}`, { from })
  const { data, error } = useRequest<DocumentsResponse>(pages === 0 ? null : path)
  const parts = partsOf(data)
  return (
    <section aria-labelledby="documents">
      <h2 id="documents">Documents</h2>
      <Pager
        label="Pages of the snapshot"
        page={position.page}
        pages={pages}
        onChange={(page) => setPosition(pageStart(page))}
      />
      {pages === 0 && <p class="empty">The snapshot has no documents.</p>}
      {error && <ErrorNotice error={error} />}
      <div class="documents">
        {data?.documents.map((document) => (
          <DocumentItem key={document.path} entity={entity} document={document} />
        ))}
      </div>
      {data && parts > 1 && <p class="facts">{documentsText(data)}</p>}
      <Pager
        label="Documents of the page"
        page={position.part}
        pages={parts}
        onChange={(part) => setPosition({ ...position, part })}
      />
    </section>
  )
}

function FindDocument({ entity, runId }: { entity: string; runId: string }) {
  const [typed, setTyped] = useState('')
  const [wanted, setWanted] = useState('')
  const path = withQuery(api`/entities/${entity}/snapshots/${runId}/documents`, { id: wanted })
  const { data, error } = useRequest<DocumentRow | null>(wanted === '' ? null : path)
  const isSearching = wanted !== '' && data === undefined && !error
  return (
    <section aria-labelledby="find">
      <h2 id="find">Find a document</h2>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault()
          setWanted(typed.trim())
        }}
      >
        <label>
          Id{' '}
          <input type="search" value={typed} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
        </label>
        <button type="submit" disabled={isSearching}>
          {isSearching ? 'Searching…' : 'Find'}
        </button>
      </form>
      {error && <ErrorNotice error={error} />}
      <div role="status">
        {wanted !== '' && data === null && (
          <p class="empty">
            No document with the id <SafeText text={wanted} /> in this snapshot.{' '}
            <a href={links.document(entity, wanted)}>Search the other snapshots and the change sets</a>
          </p>
        )}
      </div>
      {data && (
        <div class="documents">
          <DocumentItem entity={entity} document={data} />
        </div>
      )}
    </section>
  )
}
