import { UpstreamFailure } from '../../upstream/errors.ts'
import type { UpstreamResponse } from '../../upstream/exchange.ts'
import type { Call, StepContext } from '../context.ts'
import { createBufferPool } from '../page/buffer-pool.ts'
import { type PreparedPage, preparePage, storeEnd, storePage } from '../page/store.ts'
import type { PageCount } from '../proof/page-count.ts'
import type { RunSession } from '../run/session.ts'
import { bodyKind } from './body-kind.ts'
import { decodeResponse } from './decode-response.ts'
import type { ScrollIo } from './loop.ts'

const requestMs = 110_000
const silenceMs = 60_000
/** What a worker keeps to itself of its last minute, to commit what a late answer brought. */
const reserveMs = 15_000
const maxPageBytes = 256 * 1024 * 1024

/** What the scroll loop needs, given the world, the run that is held and the time that is left. Counts `along`. */
export function scrollIo(
  world: StepContext,
  session: RunSession,
  { call, along }: { call: Call; along: PageCount | undefined },
): ScrollIo {
  const { upstream, now, sleep, random, compress } = world
  const bodies = createBufferPool()
  const pages = new WeakMap<Buffer, Promise<PreparedPage>>()
  const prepare = (body: Buffer): Promise<PreparedPage> => {
    const begun = pages.get(body) ?? preparePage(body, { idField: session.entity.idField, compress, sleep })
    // Whoever keeps the page hears of its failure.
    begun.catch(() => {}).finally(() => bodies.takeBack(body))
    pages.set(body, begun)
    return begun
  }
  return {
    now,
    sleep,
    random,
    timeIsUp: () => now() >= call.handOffAt,
    renewLease: () => session.renew(),
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
          maxBytes: maxPageBytes,
          room: (bytes) => bodies.lend(bytes),
          onceOnly: true,
        })
        .catch(async (error: unknown) => {
          await session.count({
            receivedBytes: 0,
            fault: error instanceof UpstreamFailure ? error.kind : 'other',
          })
          throw error
        })
      const plain = decodeResponse(answer, maxPageBytes)
      const fault = faultOf(plain)
      await session.count({ receivedBytes: answer.body.length, ...(fault && { fault }) })
      return plain
    },
    redact: (text) => upstream.redact(text),
    prepare: (body) => void prepare(body),
    async keep(body, cursor, after) {
      const committed = await storePage(world, session.run, { page: await prepare(body), cursor, after })
      along?.add(committed)
      return committed
    },
    keepEnd: (cursor, after) => storeEnd(world, session.run, { cursor, after }),
    async markSuspect(detail) {
      world.log('WARN', 'The outcome of a scroll request is unknown.', {
        entity: session.entity.name,
        runId: session.run.runId,
        detail,
      })
      if (!session.run.suspect) await session.save({ suspect: true })
    },
  }
}

/** What a run's item counts an answer as that brought no page. */
function faultOf({ status, body }: UpstreamResponse): string | undefined {
  if (status >= 300) return String(status)
  return bodyKind(body) === 'something else' ? 'not-json' : undefined
}
