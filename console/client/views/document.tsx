import { timeOfRunId } from '../../../stored/run/run-id.ts'
import type { HistoryResponse, VersionRow } from '../../contract/history.ts'
import { Changes, DocumentFields, SafeText } from '../components/document-item.tsx'
import { Badge } from '../components/inline.tsx'
import { ErrorNotice, Loading } from '../components/notice.tsx'
import { formatTime } from '../model/format.ts'
import { sourceOf } from '../model/route.ts'
import { versionTones } from '../model/tones.ts'
import { api, withQuery } from '../request.ts'
import { useEntity, useEntityRequest } from './entity-head.tsx'

/** A document, and its history in the kept snapshots and change sets. */
export function DocumentPage({ entity, id }: { entity: string; id: string }) {
  const path = withQuery(api`/entities/${entity}/history`, { id })
  const { data, error } = useEntityRequest<HistoryResponse>(useEntity(entity), path)
  return (
    <>
      <h1>
        Document <SafeText text={id} />
      </h1>
      <p class="subtitle">of {entity}, in the kept snapshots and change sets</p>
      {!data && (error ? <ErrorNotice error={error} /> : <Loading />)}
      {data && <History entity={entity} versions={data.versions} />}
      {data && (
        <section aria-labelledby="newest">
          <h2 id="newest">In the newest snapshot</h2>
          {data.document ? (
            <div class="card">
              <DocumentFields document={data.document} />
            </div>
          ) : (
            <p class="empty">The newest snapshot does not contain it.</p>
          )}
        </section>
      )}
    </>
  )
}

const History = ({ entity, versions }: { entity: string; versions: readonly VersionRow[] }) => (
  <section aria-labelledby="history">
    <h2 id="history">History</h2>
    {versions.length === 0 && <p class="empty">No kept snapshot or change set contains it.</p>}
    <ol class="history">
      {versions.map(({ runId, source, kind, changes }) => (
        <li key={`${runId} ${source}`}>
          <p>
            <Badge tone={versionTones[kind]} text={kind} />{' '}
            <a href={sourceOf(entity, runId)[source].href}>
              {formatTime(new Date(timeOfRunId(runId)).toISOString())}
            </a>{' '}
            <span class="facts">{sourceOf(entity, runId)[source].text}</span>
          </p>
          {changes.length > 0 && <Changes changes={changes} />}
        </li>
      ))}
    </ol>
  </section>
)
