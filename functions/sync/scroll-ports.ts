import type { UpstreamAnswer } from '../upstream/exchange.ts'
import { UpstreamFailure } from '../upstream/failures.ts'
import { bodyKind } from './body-kind.ts'
import { createBufferPool } from './buffer-pool.ts'
import type { Hold } from './hold.ts'
import { withoutCoding } from './plain-answer.ts'
import type { PageTally } from './proof.ts'
import type { ScrollPorts } from './scroll.ts'
import type { Call, StepWorld } from './step-world.ts'
import { type PreparedPage, preparePage, storeEnd, storePage } from './store-page.ts'

const requestMs = 110_000
const silenceMs = 60_000
/** What a worker keeps to itself of its last minute, to commit what a late answer brought. */
const reserveMs = 15_000
const mostPageBytes = 256 * 1024 * 1024

/** What the scroll loop needs, given the world, the run that is held and the time that is left. Counts `along`. */
export function scrollPorts(
  world: StepWorld,
  hold: Hold,
  { call, along }: { call: Call; along: PageTally | undefined },
): ScrollPorts {
  const { upstream, now, sleep, random, compress } = world
  const bodies = createBufferPool()
  const pages = new WeakMap<Buffer, Promise<PreparedPage>>()
  const prepare = (body: Buffer): Promise<PreparedPage> => {
    const begun = pages.get(body) ?? preparePage(body, { idField: hold.entity.idField, compress, sleep })
    // Whoever keeps the page hears of its failure.
    begun.catch(() => {}).finally(() => bodies.takeBack(body))
    pages.set(body, begun)
    return begun
  }
  return {
    now,
    sleep,
    random,
    timeIsUp: () => now() >= call.handOverAt,
    holdOn: () => hold.renew(),
    request: async (target) => {
      const answer = await upstream
        .send({
          area: 'documents',
          method: 'GET',
          target,
          headers: {
            Accept: 'application/json',
            'Accept-Encoding': 'identity',
            'Content-Type': 'application/json',
          },
          totalMs: Math.max(1_000, Math.min(requestMs, call.killedAt - reserveMs - now())),
          idleMs: silenceMs,
          maxBytes: mostPageBytes,
          room: (bytes) => bodies.lend(bytes),
          onceOnly: true,
        })
        .catch(async (error: unknown) => {
          await hold.count({
            receivedBytes: 0,
            fault: error instanceof UpstreamFailure ? error.kind : 'other',
          })
          throw error
        })
      const plain = withoutCoding(answer, mostPageBytes)
      const fault = faultOf(plain)
      await hold.count({ receivedBytes: answer.body.length, ...(fault && { fault }) })
      return plain
    },
    conceal: (text) => upstream.conceal(text),
    prepare: (body) => void prepare(body),
    async keep(body, cursor, after) {
      const committed = await storePage(world, hold.run, { page: await prepare(body), cursor, after })
      along?.add(committed)
      return committed
    },
    keepEnd: (cursor, after) => storeEnd(world, hold.run, { cursor, after }),
    async markSuspect(detail) {
      world.log('WARN', 'The outcome of a scroll request is unknown.', {
        entity: hold.entity.name,
        runId: hold.run.runId,
        detail,
      })
      if (!hold.run.suspect) await hold.save({ suspect: true })
    },
  }
}

/** What a run's item counts an answer as that brought no page. */
function faultOf({ status, body }: UpstreamAnswer): string | undefined {
  if (status >= 300) return String(status)
  return bodyKind(body) === 'something else' ? 'not-json' : undefined
}
