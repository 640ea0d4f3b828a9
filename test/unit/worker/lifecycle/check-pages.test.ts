import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { AttemptContext } from '../../../../functions/worker/context.ts'
import { checkPages } from '../../../../functions/worker/lifecycle/check-pages.ts'
import type { RunSession } from '../../../../functions/worker/lifecycle/session.ts'

/** Checks stored pages, of which some are not as their manifest says. */
async function check(
  count: number,
  { damaged = [], gone = [], timeIsUpAfter = count }: Partial<Damage> = {},
) {
  const bodyOf = (at: number) => Buffer.from(`page ${at}`)
  const pages = Array.from({ length: count }, (_, at) => ({
    key: String(at),
    page: { key: `copy ${at}`, documents: 1, bytes: 6, sha256: hash('sha256', bodyOf(at)) },
  }))
  let read = 0
  let renewals = 0
  const used: string[] = []
  const context = {
    snapshots: {
      readPage: async (key: string) => {
        read++
        if (gone.includes(Number(key))) return undefined
        return damaged.includes(Number(key)) ? Buffer.from('other') : bodyOf(Number(key))
      },
    },
    now: () => read,
    invocation: { handOffAt: timeIsUpAfter + 1 },
  } as unknown as AttemptContext
  const session = { renew: async () => void renewals++ } as unknown as RunSession
  const use = async (page: { readonly key: string }) => void used.push(page.key)
  return { result: await checkPages(context, session, { pages, use }), used, read, renewals }
}

interface Damage {
  readonly damaged: readonly number[]
  readonly gone: readonly number[]
  /** Pages that are read before. */
  readonly timeIsUpAfter: number
}

const counts = [0, 1, 64, 65, 128, 200]

describe('the pages of a snapshot', () => {
  it.each(counts)('are all read and used if they are intact: %i', async (count) => {
    const { result, used, renewals } = await check(count)
    expect(result).toEqual({ kind: 'intact' })
    expect(used.toSorted()).toEqual(Array.from({ length: count }, (_, at) => `copy ${at}`).toSorted())
    // A batch takes less time than the lease lasts.
    expect(renewals).toBe(Math.ceil(count / 64))
  })

  it.each(counts.slice(1))('are damaged if the last of %i is', async (count) => {
    const last = count - 1
    const reason = `The page ${last} of the snapshot is`
    const { result, used } = await check(count, { damaged: [last] })
    expect(result).toEqual({ kind: 'damaged', reason: `${reason} damaged.` })
    expect(used).not.toContain(`copy ${last}`)
    expect((await check(count, { gone: [last] })).result).toEqual({
      kind: 'damaged',
      reason: `${reason} gone.`,
    })
  })

  it('are not known to be intact if the time is up before all are read', async () => {
    expect(await check(200, { timeIsUpAfter: 100 })).toMatchObject({
      result: { kind: 'time-is-up' },
      read: 128,
    })
  })
})
