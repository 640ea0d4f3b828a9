import { expect, it } from 'vitest'
import { beginComparison, endComparison } from '../../../../functions/compare/chain/in-progress.ts'
import type { CompareJob } from '../../../../functions/compare/context.ts'
import type { ChangesLatest } from '../../../../functions/state/changes/changes-latest.ts'
import type { Stored } from '../../../../functions/state/objects.aws.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const comparing = { runId: 'r2', until: '2026-11-21T12:16:00.000Z' }
const chainOf = (value: object, etag = 'e1') =>
  ({ value: { tip: 'r1', ...value }, etag }) as unknown as Stored<ChangesLatest>

/** A chain, and what is written to it. `after`: what is read after a write. */
function store(write: () => Promise<boolean>, after?: Stored<ChangesLatest>) {
  const writes: unknown[] = []
  const changes = {
    async writeLatest(...given: unknown[]) {
      writes.push(given)
      return write()
    },
    readLatest: async () => after,
  }
  return { writes, context: { changes: changes as never, now: () => now } }
}

const begin = (context: ReturnType<typeof store>['context'], increments: unknown) =>
  beginComparison(context, { entity: 'CL', increments } as CompareJob, { chain: chainOf({}), runId: 'r2' })

it('is recorded for longer than it can last, so that no increment moves the tip meanwhile', async () => {
  const marked = chainOf({ comparing }, 'e2')
  const { writes, context } = store(async () => true, marked)
  expect(await begin(context, {})).toBe(marked)
  expect(writes).toEqual([['CL', marked.value, chainOf({})]])
})

it('is not recorded without increments', async () => {
  const { writes, context } = store(async () => true)
  expect([await begin(context, undefined), writes]).toEqual([chainOf({}), []])
})

it.each<[name: string, written: boolean, after: Stored<ChangesLatest> | undefined]>([
  ['before', false, undefined],
  ['after it was recorded', true, chainOf({ tip: 'r0', comparing })],
  ['since, and is gone', true, undefined],
])('is outdated if the chain has changed %s', async (...[, written, after]) => {
  expect(await begin(store(async () => written, after).context, {})).toBe('outdated')
})

it('is recorded as ended, and what it has failed for stays its reason if that fails', async () => {
  const ended = store(() => Promise.reject(new Error('S3 is down')))
  await endComparison(ended.context, 'CL', chainOf({ comparing }))
  expect(ended.writes).toEqual([['CL', { tip: 'r1' }, chainOf({ comparing })]])
  const unmarked = store(async () => true)
  await endComparison(unmarked.context, 'CL', chainOf({}))
  expect(unmarked.writes).toEqual([])
})
