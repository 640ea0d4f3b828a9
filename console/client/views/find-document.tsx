import { useState } from 'preact/hooks'
import type { DocumentRow } from '../../contract/documents.ts'
import { DocumentItem } from '../components/document-item.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { SafeText } from '../components/value.tsx'
import { links } from '../model/route.ts'
import { api, withQuery } from '../request.ts'
import { useRequest } from '../use-request.ts'

/** Finds one document of a snapshot by its id. */
export function FindDocument({ entity, runId }: { entity: string; runId: string }) {
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
