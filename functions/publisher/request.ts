import type { CheckRequest } from '../state/snapshots/publication.ts'

/** A check of one range, or of a whole run. */
export interface RequestedCheck extends CheckRequest {
  readonly range?: number | undefined
}

/** What the worker asks for. Of an event nothing else is used. */
export type PublisherRequest =
  | ({ readonly task: 'check' } & RequestedCheck)
  | ({ readonly task: 'publish' } & CheckRequest)

export function readRequest(event: unknown): PublisherRequest {
  const { task, entity, runId, range } = (event ?? {}) as Partial<Record<string, unknown>>
  if (typeof entity !== 'string' || typeof runId !== 'string')
    throw new Error('The event needs an entity and a runId.')
  if (task === 'publish') return { task, entity, runId }
  if (task !== 'check') throw new Error(`The task ${String(task)} is neither check nor publish.`)
  return { task, entity, runId, range: typeof range === 'number' ? range : undefined }
}
