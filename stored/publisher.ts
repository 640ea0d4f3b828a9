import { lazy } from '../functions/runtime/lazy.ts'
import type { SetPublisher } from './changes/publication.ts'
import type { SnapshotPublisher } from './snapshots/publication.ts'

export type PublisherClient = SnapshotPublisher & SetPublisher

/** The publisher. Its client is loaded when it is needed first. */
export function createPublisher(functionName: string): PublisherClient {
  const load = lazy(async () => (await import('./publisher.aws.ts')).createPublisherClient(functionName))
  return {
    checkRange: async (...asked) => (await load()).checkRange(...asked),
    checkRun: async (...asked) => (await load()).checkRun(...asked),
    publish: async (...asked) => (await load()).publish(...asked),
    publishSet: async (...asked) => (await load()).publishSet(...asked),
    note: async (...asked) => (await load()).note(...asked),
  }
}
