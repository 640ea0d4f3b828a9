import type { NoteRequest, NoteResult, SetRequest, SetResult } from '../../stored/changes/publication.ts'
import type { CheckRequest, PublishResult } from '../../stored/snapshots/publication.ts'
import { type AnyCheckResult, checkRun, type RequestedCheck } from './check-run.ts'
import { note } from './note.ts'
import type { Publisher } from './ports.ts'
import { publishRun } from './publish-run.ts'
import { publishSet } from './publish-set.ts'

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

export type PublisherResult = AnyCheckResult | PublishResult | SetResult | NoteResult

/** Carries out what the publisher is asked for. */
export function carryOut(publisher: Publisher, request: PublisherRequest): Promise<PublisherResult> {
  switch (request.task) {
    case 'check':
      return checkRun(publisher, request)
    case 'publish':
      return publishRun(publisher, request)
    case 'publish-set':
      return publishSet(publisher, request)
    case 'note':
      return note(publisher, request)
  }
}
