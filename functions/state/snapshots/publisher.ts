import { lazy } from '../../runtime/lazy.ts'
import type { PublisherClient } from './publication.ts'

/** The publisher. Its client is loaded when the first scroll has ended: increments do without. */
export function createPublisher(functionName: string): PublisherClient {
  const load = lazy(async () => (await import('./publisher.aws.ts')).createPublisherClient(functionName))
  return {
    checkRange: async (...asked) => (await load()).checkRange(...asked),
    checkRun: async (...asked) => (await load()).checkRun(...asked),
    publish: async (...asked) => (await load()).publish(...asked),
  }
}
