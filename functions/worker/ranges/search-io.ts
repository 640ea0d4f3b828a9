import type { Search } from '../../../stored/partitions/plan.ts'
import { SearchFailed, searchOne, searchRequest } from '../../../stored/partitions/search.ts'
import { CredentialsError } from '../../upstream/errors.ts'
import type { AttemptContext } from '../context.ts'
import type { ScrollingSession } from '../lifecycle/session.ts'
import { sendCounted } from '../scroll/counted-request.ts'

const requestMs = 30_000
/** In one run, repeated ones included. */
const maxSearches = 300
/** The worker's last seconds are not spent on searches. */
const reserveMs = 30_000

/** Searches with the credentials and the query of a run, and counts its requests. */
export function createSearch(context: AttemptContext, session: ScrollingSession, by: string): Search {
  const { settings, upstream, invocation, now, sleep, random } = context
  const { entity, plan } = session.run
  const target = { searchPath: settings.upstream.searchPath, entity, query: plan.query }
  const io = {
    now,
    sleep,
    random,
    redact: (text: string) => upstream.redact(text),
    deadline: invocation.killedAt - reserveMs,
    async request(target: string, headers: Readonly<Record<string, string>>) {
      if (!(await session.countSearch(maxSearches)))
        throw new SearchFailed(
          'refused',
          `The run has sent ${maxSearches} searches, which was not enough for its ranges.`,
        )
      const leftMs = invocation.killedAt - reserveMs - now()
      if (leftMs <= 0) throw new SearchFailed('outage', 'The searches took longer than the worker may run.')
      try {
        const request = searchRequest(target, headers, Math.min(requestMs, leftMs))
        return await sendCounted(upstream, session, request)
      } catch (error) {
        throw error instanceof CredentialsError ? new SearchFailed('outage', error.message) : error
      }
    },
  }
  return (request) => searchOne(io, target, { ...request, by })
}
