import type { UpstreamFailureKind } from '../../../functions/upstream/exchange.ts'
import type { InjectedFault } from '../../../local/stand-in/faults.ts'
import type { Chance } from '../chance.ts'

/** How an exchange goes wrong between the client and the platform. */
export interface WireFault {
  /** `late`: the platform acts after the client has given up. */
  readonly acts: 'never' | 'before-the-fault' | 'late'
  readonly failure: Failure
  /** Relative frequency; 1 by default. */
  readonly weight?: number
}

/** What the client gets: an error of its own, or a response that the fault changes. */
type Failure =
  | { readonly kind: 'error'; readonly error: UpstreamFailureKind }
  | { readonly kind: 'response'; readonly fault: (context: FaultContext) => InjectedFault }

interface FaultContext {
  readonly chance: Chance
  /** Epoch milliseconds. */
  readonly now: number
}

const error = (error: UpstreamFailureKind): Failure => ({ kind: 'error', error })
const respond = (fault: InjectedFault): Failure => ({ kind: 'response', fault: () => fault })
const refusal = '{"Message":"Not now"}'
const status = (status: number): Failure => respond({ kind: 'status', status, body: refusal })

const waitMs = ({ chance }: FaultContext) => chance.pick([0, 1_000, 5_000, 30_000, 120_000, 1_500_000])
const statusWithSeconds = (code: number): Failure => ({
  kind: 'response',
  fault: (context) => {
    const headers = { 'Retry-After': String(waitMs(context) / 1000) }
    return { kind: 'status', status: code, body: refusal, headers }
  },
})
const statusWithDate = (code: number): Failure => ({
  kind: 'response',
  fault: (context) => {
    const headers = { 'Retry-After': new Date(context.now + waitMs(context)).toUTCString() }
    return { kind: 'status', status: code, body: refusal, headers }
  },
})

/** Responses whose body is the intended one, damaged. */
const damaged = (change: (body: Buffer, chance: Chance) => Buffer): Failure => ({
  kind: 'response',
  fault: ({ chance }) => ({ kind: 'body', change: (body) => change(body, chance) }),
})

export const wireFaults = {
  unreachable: { acts: 'never', failure: error('unreachable'), weight: 2 },
  'reset before': { acts: 'never', failure: error('interrupted'), weight: 2 },
  'reset after': { acts: 'before-the-fault', failure: error('interrupted'), weight: 4 },
  'time-out before': { acts: 'never', failure: error('timeout') },
  'time-out after': { acts: 'before-the-fault', failure: error('timeout'), weight: 2 },
  'time-out, acted late': { acts: 'late', failure: error('timeout'), weight: 2 },
  'too large': { acts: 'before-the-fault', failure: error('too-large') },
  'html before': { acts: 'never', failure: respond({ kind: 'html' }) },
  'html after': { acts: 'before-the-fault', failure: respond({ kind: 'html' }), weight: 2 },
  'body cut off': {
    acts: 'before-the-fault',
    failure: damaged((body, chance) => body.subarray(0, chance.integer(1, body.length - 3))),
    weight: 2,
  },
  'body garbled': { acts: 'before-the-fault', failure: damaged(withoutColon), weight: 3 },
  'body not UTF-8': { acts: 'before-the-fault', failure: damaged(notUtf8) },
  'body compressed': { acts: 'before-the-fault', failure: respond({ kind: 'gzip' }) },
  'body compressed, cut off': {
    acts: 'before-the-fault',
    failure: {
      kind: 'response',
      fault: ({ chance }) => ({ kind: 'gzip', part: 0.1 + 0.5 * chance.next() }),
    },
  },
  '200 with an error': { acts: 'never', failure: status(200) },
  '200 with an error after': { acts: 'before-the-fault', failure: status(200) },
  'status 400': { acts: 'never', failure: status(400), weight: 0.3 },
  'status 403': { acts: 'never', failure: status(403), weight: 0.3 },
  'status 408': { acts: 'never', failure: status(408) },
  'status 408 after': { acts: 'before-the-fault', failure: status(408) },
  'status 429': { acts: 'never', failure: status(429), weight: 2 },
  'status 429, seconds': { acts: 'never', failure: statusWithSeconds(429) },
  'status 429, date': { acts: 'never', failure: statusWithDate(429) },
  'status 500': { acts: 'never', failure: status(500), weight: 2 },
  'status 500 after': { acts: 'before-the-fault', failure: status(500), weight: 2 },
  'status 502 after': { acts: 'before-the-fault', failure: status(502) },
  'status 503, seconds': { acts: 'never', failure: statusWithSeconds(503) },
  'status 503, date': { acts: 'never', failure: statusWithDate(503) },
  'status 504 after': { acts: 'before-the-fault', failure: status(504) },
  redirect: { acts: 'never', failure: respond({ kind: 'redirect' }) },
} as const satisfies Record<string, WireFault>

export type WireFaultName = keyof typeof wireFaults

export const weights = Object.fromEntries(
  Object.entries(wireFaults).map(([name, fault]: [string, WireFault]) => [name, fault.weight ?? 1]),
) as Record<WireFaultName, number>

/** Both ends look right, and one colon in the middle is missing. */
function withoutColon(whole: Buffer): Buffer {
  const at = whole.indexOf(':', Math.floor(whole.length / 2))
  const colon = at < 0 ? whole.indexOf(':') : at
  const inString = whole.toString('latin1', 0, colon).replaceAll(/\\./g, '').split('"').length % 2 === 0
  const from = inString ? whole.indexOf(':') : colon
  return Buffer.concat([whole.subarray(0, from), Buffer.from(' '), whole.subarray(from + 1)])
}

function notUtf8(whole: Buffer): Buffer {
  const body = Buffer.from(whole)
  body[body.indexOf('"') + 1] = 0xff
  return body
}
