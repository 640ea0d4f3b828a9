import { hourMs, minuteMs } from '../../functions/runtime/durations.ts'
import { type FaultRule, onScroll } from '../stand-in/faults.ts'

/** What goes wrong in a sync, and what Longshore does about it. */
export interface FaultProfile {
  /** One line for `--help`. */
  readonly summary: string
  /** What to watch in the output that follows. */
  readonly watch: string
  /** Whether its rule kills the worker. */
  readonly killsWorker?: true
  /** Whether many documents disappear after the first syncs. */
  readonly losesDocuments?: true
  /** The rule of the stand-in, for scrolls of every entity, as often as it matches. */
  rule?(killWorker: () => void): Omit<FaultRule, 'times'>
}

/** By then the page before has been committed. */
const killAfterMs = 1_000

/** By then the demo has ended. */
const outageAfterMs = 5 * minuteMs
/** Until the snapshot of the example is too old, and shorter than until the last repeat of the third run. */
const outageMs = 13 * hourMs

/** The first scroll, and every second one after it: a new attempt is a new scroll and succeeds. */
const firstScroll: FaultRule['match'] = ({ scroll }) => (scroll?.scroll ?? 0) % 2 === 1
const thirdPage = onScroll({ page: 3, request: 3 })
const thirdPageOfFirstScroll: FaultRule['match'] = (request) => thirdPage(request) && firstScroll(request)

export const faultProfiles = {
  throttling: {
    summary: 'the platform responds with 429 three times in a row',
    watch:
      'The platform responds to the request for page 2 with 429 three times. The run waits as long as Retry-After ' +
      'requires and requests the page again: nothing is lost, and the attempt stays clean.',
    rule: () => ({
      match: (request) => onScroll({ page: 2 })(request) && (request.scroll?.request ?? 0) <= 4,
      fault: { kind: 'status', status: 429, headers: { 'Retry-After': '1' }, effect: 'before' },
    }),
  },
  'expired-token': {
    summary: 'the scroll token expires in the middle',
    watch:
      'The platform forgets the scroll before page 3. The pages of this attempt cannot be completed, so the run ' +
      'starts attempt 2 from the first page. The published snapshot has pages of one attempt only.',
    rule: () => ({ match: thirdPageOfFirstScroll, fault: { kind: 'expire-token' } }),
  },
  'lost-page': {
    summary: 'a page is lost in transit, and the platform moves on',
    watch:
      'The connection breaks while page 3 is in transit. The platform has moved its cursor, so the next request ' +
      'returns page 4. The attempt is suspect: at the end its documents are compared with the reported total, a page ' +
      'is missing, and the run scrolls again instead of publishing.',
    rule: () => ({ match: thirdPageOfFirstScroll, fault: { kind: 'reset', effect: 'after' } }),
  },
  'finished-scroll': {
    summary: 'the platform forgets each scroll that has sent its last page',
    watch:
      'The request after the last page receives 404 instead of an empty page. All documents have arrived by then, so ' +
      'this is the end of the scroll. If all pages were full, the platform may have more: then a second attempt decides.',
    rule: () => ({ match: onScroll(), fault: { kind: 'end-form', form: 'not-found' } }),
  },
  'worker-killed': {
    summary: 'the worker is killed in the middle of a page',
    watch:
      'The worker is killed while it waits for page 3. Step Functions invokes it again, and it continues at page 3 ' +
      'with the stored token. The attempt is suspect, so it must match the reported total exactly, and it does.',
    killsWorker: true,
    rule: (killWorker) => ({
      match: thirdPageOfFirstScroll,
      fault: { kind: 'hang', effect: 'before' },
      onStrike: () => setTimeout(killWorker, killAfterMs),
    }),
  },
  shrink: {
    summary: 'half of the documents disappear, and the guard refuses to publish',
    watch:
      'After two syncs, the documents of all clients who have not subscribed to the newsletter disappear. The third sync is ' +
      'complete and proven, but more than maxShrinkPercent of the documents are missing: it is refused, and the published ' +
      'snapshot stays until a person decides.',
    losesDocuments: true,
  },
  outage: {
    summary:
      'the platform is away for 13 hours, and one message tells when that is a problem, and one when it is over',
    watch:
      'Five minutes from now or later, the platform goes away when a full sync begins, and is back 13 hours later. Move the clock ' +
      'until a schedule starts one (longshore --local clock +6h): it fails and will be repeated, which is a note in status. Its repeats ' +
      'and the next run fail too (clock +7h): the snapshot is too old, and one message has all problems. The last repeat of the ' +
      'third run publishes (clock +7h), and one message tells that they are over.',
    rule: () => ({
      match: outageFrom(Date.now() + outageAfterMs),
      fault: { kind: 'status', status: 503, effect: 'before' },
    }),
  },
} as const satisfies Readonly<Record<string, FaultProfile>>

/** Matches every request from the first full sync after a time, in epoch milliseconds, until the platform is back. */
function outageFrom(time: number): FaultRule['match'] {
  let until: number | undefined
  return ({ kind, query }) => {
    const now = Date.now()
    if (now >= time && kind === 'scroll' && !query.has('_where')) until ??= now + outageMs
    return until !== undefined && now < until
  }
}

export type FaultProfileName = keyof typeof faultProfiles
export const faultProfileNames = Object.keys(faultProfiles) as FaultProfileName[]
