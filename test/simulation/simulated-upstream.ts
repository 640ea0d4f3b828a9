import { gzipSync } from 'node:zlib'
import type { RedactingUpstream } from '../../functions/upstream/client.ts'
import { cacheCredentials } from '../../functions/upstream/credential-cache.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../../functions/upstream/errors.ts'
import type { UpstreamResponse } from '../../functions/upstream/exchange.ts'
import type { Invocation, Outcome } from './invocation.ts'
import type { ModelAnswer } from './platform-model.ts'
import type { Simulation } from './simulation.ts'

/** How an exchange may go wrong: whether the platform acts on the request, and what comes back. */
interface Fault {
  /** `late`: the platform acts when the caller has long given up. */
  readonly effect: 'before' | 'after' | 'late'
  readonly failure?: UpstreamFailureKind
  readonly status?: number
  readonly retryAfter?: 'seconds' | 'date'
  readonly body?: 'html' | 'garbled' | 'cut' | 'not-utf8' | 'error' | 'gzip' | 'cut-gzip'
  readonly often?: number
}

const faults = {
  unreachable: { effect: 'before', failure: 'unreachable', often: 2 },
  'reset before': { effect: 'before', failure: 'interrupted', often: 2 },
  'reset after': { effect: 'after', failure: 'interrupted', often: 4 },
  'time-out before': { effect: 'before', failure: 'timeout' },
  'time-out after': { effect: 'after', failure: 'timeout', often: 2 },
  'time-out, acted late': { effect: 'late', failure: 'timeout', often: 2 },
  'too large': { effect: 'after', failure: 'too-large' },
  'html before': { effect: 'before', status: 200, body: 'html' },
  'html after': { effect: 'after', status: 200, body: 'html', often: 2 },
  'body cut off': { effect: 'after', body: 'cut', often: 2 },
  'body garbled': { effect: 'after', body: 'garbled', often: 3 },
  'body not UTF-8': { effect: 'after', body: 'not-utf8' },
  'body compressed': { effect: 'after', body: 'gzip' },
  'body compressed, cut off': { effect: 'after', body: 'cut-gzip' },
  '200 with an error': { effect: 'before', status: 200, body: 'error' },
  '200 with an error after': { effect: 'after', status: 200, body: 'error' },
  'status 400': { effect: 'before', status: 400, body: 'error', often: 0.3 },
  'status 403': { effect: 'before', status: 403, body: 'error', often: 0.3 },
  'status 408': { effect: 'before', status: 408, body: 'error' },
  'status 408 after': { effect: 'after', status: 408, body: 'error' },
  'status 429': { effect: 'before', status: 429, body: 'error', often: 2 },
  'status 429, seconds': { effect: 'before', status: 429, body: 'error', retryAfter: 'seconds' },
  'status 429, date': { effect: 'before', status: 429, body: 'error', retryAfter: 'date' },
  'status 500': { effect: 'before', status: 500, body: 'error', often: 2 },
  'status 500 after': { effect: 'after', status: 500, body: 'error', often: 2 },
  'status 502 after': { effect: 'after', status: 502, body: 'html' },
  'status 503, seconds': { effect: 'before', status: 503, body: 'error', retryAfter: 'seconds' },
  'status 503, date': { effect: 'before', status: 503, body: 'error', retryAfter: 'date' },
  'status 504 after': { effect: 'after', status: 504, body: 'error' },
  redirect: { effect: 'before', status: 302, body: 'html' },
} as const satisfies Record<string, Fault>

type FaultName = keyof typeof faults
const faultNames = Object.keys(faults) as FaultName[]
const weights = Object.fromEntries(
  faultNames.map((name) => [name, (faults[name] as Fault).often ?? 1]),
) as Record<FaultName, number>

/** The upstream client as one invocation has it, with the real cache of credentials and the model behind the wire. */
export function simulatedUpstream(sim: Simulation, invocation: Invocation): RedactingUpstream {
  const { chance, scheduler, platform } = sim
  const credentials = cacheCredentials({
    secretIds: { logistics: 'all', subscriptions: 'all', documents: 'all' },
    now: invocation.now,
    read: () =>
      invocation.outside('read-secret', (settle) => {
        scheduler.after(chance.delayMs(10, 200), () => {
          const version = String(platform.keys.secret)
          settle({ value: { value: JSON.stringify({ appKey: 'key', appToken: version }), version } })
        })
      }),
  })
  const exchange = (target: string, totalMs: number, version: string) =>
    invocation.outside<UpstreamResponse>('upstream', (settle) =>
      exchanged(sim, { target, totalMs, version, invocation }, settle),
    )

  return {
    // As functions/upstream/client.ts does it, but for the wire.
    async send({ target, totalMs, room }) {
      const inRoom = (answer: UpstreamResponse) => {
        const body = room?.(answer.body.length) ?? Buffer.alloc(answer.body.length)
        answer.body.copy(body)
        return { ...answer, body }
      }
      const deadline = sim.scheduler.now() + totalMs
      const current = await credentials.get('documents')
      const answer = await exchange(target, totalMs, current.version)
      if (answer.status !== 401 && answer.status !== 403) return inRoom(answer)
      const newer = await credentials.renew('documents', current.version)
      const leftMs = deadline - sim.scheduler.now()
      return inRoom(newer && leftMs > 0 ? await exchange(target, leftMs, newer.version) : answer)
    },
    redact: (text) => text,
  }
}

function exchanged(
  sim: Simulation,
  asked: { target: string; totalMs: number; version: string; invocation: Invocation },
  settle: (outcome: Outcome<UpstreamResponse>) => void,
): void {
  const { chance, scheduler, scenario, platform } = sim
  const { target, totalMs, version, invocation } = asked
  const act = (): ModelAnswer => {
    sim.oracle.requested(invocation)
    return platform.answer(target, Number(version))
  }
  const note = (what: string) =>
    sim.trace(() => `${invocation.id} GET ${target.slice(target.indexOf('?'))}: ${what}`)
  const name = drawFault(sim)
  const fault = name && (faults[name] as Fault)
  const takesMs = chance.delayMs(20, scenario.platform.slowest)
  if (name) sim.count(`platform: ${name}`)

  if (!fault) {
    if (takesMs <= totalMs) {
      scheduler.after(takesMs, () => {
        const answer = act()
        note(`${answer.status}, ${answer.body.length} bytes`)
        settle({ value: answer })
      })
      return
    }
    sim.count('platform: too slow')
    scheduler.after(takesMs, act)
    scheduler.after(totalMs, () => {
      note('too slow')
      settle({ error: new UpstreamFailure('timeout') })
    })
    return
  }
  const answersMs = fault.failure === 'timeout' ? totalMs : Math.min(takesMs, totalMs)
  if (fault.effect === 'late') scheduler.after(totalMs + chance.delayMs(1, 60_000), act)
  scheduler.after(answersMs, () => {
    note(name)
    const real = fault.effect === 'after' ? act() : undefined
    if (fault.failure) return settle({ error: new UpstreamFailure(fault.failure) })
    settle({ value: spoilt(sim, fault, real) })
  })
}

function drawFault({ chance, scheduler, scenario }: Simulation): FaultName | undefined {
  const { faults: often, outageMs } = scenario.platform
  const inOutage = scheduler.now() % 600_000 < outageMs
  return inOutage || chance.happens(often) ? chance.weighted(weights) : undefined
}

const html = Buffer.from('<!doctype html><title>Gateway</title><p>[]</p>')

function spoilt(sim: Simulation, fault: Fault, real: ModelAnswer | undefined): UpstreamResponse {
  const { chance, scheduler } = sim
  const headers: Record<string, string> = { ...real?.headers }
  const waitMs = chance.pick([0, 1_000, 5_000, 30_000, 120_000, 1_500_000])
  if (fault.retryAfter === 'seconds') headers['retry-after'] = String(waitMs / 1000)
  if (fault.retryAfter === 'date') headers['retry-after'] = new Date(scheduler.now() + waitMs).toUTCString()
  const whole = real?.body ?? Buffer.alloc(0)
  const status = fault.status ?? real?.status ?? 200
  // An answer that says no is not spoilt; and of an empty body nothing can be cut off.
  if (real && fault.status === undefined && (real.status !== 200 || whole.length < 8)) return { ...real }
  switch (fault.body) {
    case 'html':
      return { status, headers, body: html }
    case 'cut':
      return { status, headers, body: whole.subarray(0, chance.integer(1, whole.length - 3)) }
    case 'gzip':
    case 'cut-gzip': {
      const body = gzipSync(whole)
      const cut = fault.body === 'cut-gzip' ? chance.integer(1, body.length - 9) : body.length
      return { status, headers: { ...headers, 'content-encoding': 'gzip' }, body: body.subarray(0, cut) }
    }
    case 'garbled':
      return { status, headers, body: garbled(whole) }
    case 'not-utf8': {
      const body = Buffer.from(whole)
      body[body.indexOf('"') + 1] = 0xff
      return { status, headers, body }
    }
    case 'error':
    case undefined:
      break
  }
  return { status, headers, body: Buffer.from('{"Message":"Not now"}') }
}

/** Both ends look right, and one colon in the middle is missing. */
function garbled(whole: Buffer): Buffer {
  const at = whole.indexOf(':', Math.floor(whole.length / 2))
  const colon = at < 0 ? whole.indexOf(':') : at
  const inString = whole.toString('latin1', 0, colon).replaceAll(/\\./g, '').split('"').length % 2 === 0
  const from = inString ? whole.indexOf(':') : colon
  return Buffer.concat([whole.subarray(0, from), Buffer.from(' '), whole.subarray(from + 1)])
}
