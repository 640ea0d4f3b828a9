import type { NoteRequest, SetRequest } from '../../stored/changes/publication.ts'
import type { CheckRequest } from '../../stored/snapshots/publication.ts'

/** A check of one range, or of a whole run. */
export interface RequestedCheck extends CheckRequest {
  readonly range?: number | undefined
}

/** What worker, comparison and erasure ask for. Of an event nothing else is used. */
export type PublisherRequest =
  | ({ readonly task: 'check' } & RequestedCheck)
  | ({ readonly task: 'publish' } & CheckRequest)
  | ({ readonly task: 'publish-set' } & SetRequest)
  | ({ readonly task: 'note' } & NoteRequest)

export function readRequest(event: unknown): PublisherRequest {
  const { task, entity, runId, range, ...more } = (event ?? {}) as Partial<Record<string, unknown>>
  if (typeof entity !== 'string') throw new Error('The event needs an entity.')
  if (task === 'note') return { task, entity, ...(more as Omit<NoteRequest, 'entity'>) }
  if (typeof runId !== 'string') throw new Error('The event needs a runId.')
  if (task === 'publish') return { task, entity, runId }
  if (task === 'publish-set')
    return { task, entity, runId, ...(more as Omit<SetRequest, 'entity' | 'runId'>) }
  if (task !== 'check') throw new Error(`The task ${String(task)} is not known.`)
  return { task, entity, runId, range: typeof range === 'number' ? range : undefined }
}
