import type { RedactingUpstream } from '../../../functions/upstream/client.ts'
import { cacheCredentials } from '../../../functions/upstream/credential-cache.ts'
import { UpstreamFailure, type UpstreamResponse } from '../../../functions/upstream/exchange.ts'
import { distort } from '../../../local/stand-in/delivery.ts'
import type { InjectedFault } from '../../../local/stand-in/faults.ts'
import { type PlatformResponse, refusalResponse } from '../../../local/stand-in/platform-response.ts'
import type { Invocation, Outcome } from '../functions/invocation.ts'
import type { PlayedSimulation } from '../simulation.ts'
import type { Delivery } from './wire.ts'
import { type WireFault, type WireFaultName, weights, wireFaults } from './wire-faults.ts'

/** The upstream client of one invocation: the real credential cache, and the platform model instead of the network. */
export function simulatedUpstream(sim: PlayedSimulation, invocation: Invocation): RedactingUpstream {
  const { chance, scheduler, platform } = sim
  const credentials = cacheCredentials({
    secretIds: { logistics: 'all', subscriptions: 'all', documents: 'all' },
    now: invocation.now,
    sleep: (ms) =>
      invocation.outside<void>('sleep', (settle) => scheduler.after(ms, () => settle({ value: undefined }))),
    read: () =>
      invocation.outside('read-secret', (settle) => {
        scheduler.after(chance.delayMs(10, 200), () => {
          const version = String(platform.keys.secret)
          settle({ value: { value: JSON.stringify({ appKey: 'key', appToken: version }), version } })
        })
      }),
  })
  const exchange = (request: Pick<ExchangeInTime, 'target' | 'headers' | 'totalMs'>, version: string) =>
    invocation.outside<UpstreamResponse>('upstream', (settle) =>
      startExchange(sim, { ...request, version, invocation }, settle),
    )

  return {
    // The same as functions/upstream/client.ts, except for the network.
    async send({ target, headers, totalMs, beforeSend }) {
      // The worker overwrites the body.
      const copy = (response: UpstreamResponse) => ({ ...response, body: Buffer.from(response.body) })
      const deadline = sim.scheduler.now() + totalMs
      const current = await credentials.get('documents')
      await beforeSend?.()
      const response = await exchange({ target, headers, totalMs }, current.version)
      if (response.status !== 401 && response.status !== 403) return copy(response)
      const newer = await credentials.renew('documents', current.version)
      const leftMs = deadline - sim.scheduler.now()
      if (!newer || leftMs <= 0) return copy(response)
      await beforeSend?.()
      return copy(await exchange({ target, headers, totalMs: leftMs }, newer.version))
    },
    redact: (text) => text,
  }
}

interface ExchangeInTime {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly totalMs: number
  readonly version: string
  readonly invocation: Invocation
}

type Settle = (outcome: Outcome<UpstreamResponse>) => void

function startExchange(sim: PlayedSimulation, exchange: ExchangeInTime, settle: Settle): void {
  const { chance, scheduler, scenario } = sim
  const { target, headers, totalMs, invocation } = exchange
  const act = (when: 'in time' | 'late' = 'in time') => {
    sim.oracle.requested(invocation, { when, isScroll: target.includes('/scroll?') })
    return sim.platform.respond({ target, headers }, Number(exchange.version))
  }
  const note = (what: string) =>
    sim.trace(() => `${invocation.id} GET ${target.slice(target.indexOf('?'))}: ${what}`)
  const name = drawFault(sim)
  const takesMs = chance.delayMs(20, scenario.platform.slowest)
  if (name) {
    sim.count(`platform: ${name}`)
    strike(sim, { exchange, fault: wireFaults[name], takesMs, act, note: () => note(name) }, settle)
  } else if (takesMs <= totalMs) {
    scheduler.after(takesMs, () => {
      const response = act()
      note(`${response.status}, ${response.body.length} bytes`)
      if (sim.platform.hasSentLastPage && chance.happens(scenario.platform.lostLastPages))
        return loseLastPage(sim, invocation, settle)
      receive(sim, { result: response, fault: undefined }, settle)
    })
  } else {
    sim.count('platform: too slow')
    scheduler.after(takesMs, () => act('late'))
    scheduler.after(totalMs, () => {
      note('too slow')
      sim.platform.losesResponse(tokenOf(target))
      settle({ error: new UpstreamFailure('timeout') })
    })
  }
}

/** Afterwards the platform ends the scroll. */
function loseLastPage(sim: PlayedSimulation, invocation: Invocation, settle: Settle): void {
  sim.count('platform: last page lost')
  if (sim.chance.happens(0.5)) invocation.crash('the last page arrives')
  else settle({ error: new UpstreamFailure('interrupted') })
}

interface Strike {
  readonly exchange: ExchangeInTime
  readonly fault: WireFault
  readonly takesMs: number
  readonly act: (when?: 'in time' | 'late') => PlatformResponse
  readonly note: () => void
}

function strike(
  sim: PlayedSimulation,
  { exchange, fault, takesMs, act, note }: Strike,
  settle: Settle,
): void {
  const { chance, scheduler } = sim
  const { failure, acts } = fault
  const timesOut = failure.kind === 'error' && failure.error === 'timeout'
  const responsesMs = timesOut ? exchange.totalMs : Math.min(takesMs, exchange.totalMs)
  if (acts === 'late') scheduler.after(exchange.totalMs + chance.delayMs(1, 60_000), () => act('late'))
  scheduler.after(responsesMs, () => {
    note()
    const intended =
      acts === 'before-the-fault' ? act() : refusalResponse('documents', 500, 'Nothing was done')
    const token = tokenOf(exchange.target)
    if (failure.kind === 'error') {
      if (acts !== 'never') sim.platform.losesResponse(token)
      if (failure.error === 'interrupted')
        return receive(sim, { result: intended, fault: interruption(chance, intended) }, settle)
      return settle({ error: new UpstreamFailure(failure.error) })
    }
    const drawn = failure.fault({ chance, now: scheduler.now() })
    const isRefusal = drawn.kind === 'status' && drawn.status >= 400 && drawn.status < 500
    if (isRefusal) sim.platform.confirmsEnd(token)
    const damagesBody = drawn.kind === 'body' || drawn.kind === 'gzip'
    // A refusal is not damaged, and an empty body cannot be truncated.
    if (damagesBody && (intended.status !== 200 || intended.body.length < 8))
      return receive(sim, { result: intended, fault: undefined }, settle)
    const isReadable = drawn.kind === 'gzip' && drawn.part === undefined
    if (acts !== 'never' && !isRefusal && !isReadable) sim.platform.losesResponse(token)
    receive(sim, { result: distort(intended, drawn, 'documents'), fault: undefined }, settle)
  })
}

const tokenOf = (target: string) => new URLSearchParams(target.split('?')[1]).get('_token')

function drawFault({ chance, scheduler, scenario }: PlayedSimulation): WireFaultName | undefined {
  const { faults, outageMs, throttling } = scenario.platform
  if (chance.happens(throttling)) return 'status 429'
  const inOutage = scheduler.now() % 600_000 < outageMs
  return inOutage || chance.happens(faults) ? chance.weighted(weights) : undefined
}

/** The connection breaks before the response, or within its body. */
function interruption(chance: PlayedSimulation['chance'], { body }: PlatformResponse): InjectedFault {
  if (body.length < 8) return { kind: 'reset' }
  return chance.pick([{ kind: 'reset' }, { kind: 'cut' }, { kind: 'cut', framing: 'chunked' }] as const)
}

/** The client's result for a response: from the real client in seeds with a wire, otherwise computed. */
function receive({ scheduler, wire }: PlayedSimulation, delivery: Delivery, settle: Settle): void {
  if (wire) {
    const settleLater = (outcome: Outcome<UpstreamResponse>) => scheduler.after(0, () => settle(outcome))
    const received = wire(delivery).then(
      (value) => settleLater({ value }),
      (error: unknown) => settleLater({ error }),
    )
    scheduler.external(received)
  } else if (delivery.fault) settle({ error: new UpstreamFailure('interrupted') })
  else settle({ value: withLowerCase(delivery.result) })
}

function withLowerCase({ status, headers, body }: PlatformResponse): UpstreamResponse {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { status, headers: Object.fromEntries(lowerCase) as UpstreamResponse['headers'], body }
}
