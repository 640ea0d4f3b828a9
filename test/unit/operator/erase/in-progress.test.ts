import { expect, it } from 'vitest'
import { requireIdle } from '../../../../operator/erase/find-person.ts'

const now = 1_000
const lease = (kind: 'increment' | undefined, leftMs: number) => ({
  runId: 'r2',
  until: now + leftMs,
  ...(kind && { kind }),
})
const chain = (reset: string | null) => ({ value: { tip: 'r1', sets: [], reset } })

it.each([
  ['nothing is in progress', undefined, false, null, undefined],
  ['a run has the lease', lease(undefined, 1), false, null, /^The run r2 of CL is in progress\./],
  ['the lease of a run has expired', lease(undefined, 0), false, null, undefined],
  [
    'an increment has the lease, which does not publish once the chain has moved',
    lease('increment', 1),
    false,
    null,
    undefined,
  ],
  [
    'a snapshot may still be compared',
    undefined,
    true,
    null,
    /^The snapshot of run r2 of CL may still be compared with that of run r1\./,
  ],
  ['the next set is a reset, which compares nothing', undefined, true, 'Erased.', undefined],
] as const)('whether a person can be erased while %s', (...[, held, isPending, reset, reason]) => {
  const stored = { entity: 'CL', latest: { runId: 'r2' }, chain: chain(reset) }
  const check = () => {
    try {
      requireIdle(stored as never, { lease: held as never, isPending, now })
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(check()).toMatch(reason ?? /^$/)
})
