import type { NoteResult, SetResult } from '../../stored/changes/publication.ts'
import type { PublishResult } from '../../stored/snapshots/publication.ts'
import { type AnyCheckResult, checkRun } from './check-run.ts'
import { note } from './note.ts'
import type { Publisher } from './ports.ts'
import { publishRun } from './publish-run.ts'
import { publishSet } from './publish-set.ts'
import type { PublisherRequest } from './request.ts'

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
