import { expect, it } from 'vitest'
import { nothingRefused } from '../../../../operator/review/review.ts'

const now = Date.UTC(2026, 2, 1, 6)

it.each([
  [
    { status: 'refused' },
    'The refused snapshot of run r2 is gone. Refused snapshots are kept until a newer run publishes. A later refusal keeps only the newest seven of the last 30 days.',
  ],
  [
    {},
    'Run r2 of CL needs no decision: its status is published, and no refused change set of it waits for one.',
  ],
  [{ by: 'root' }, 'root accepted the snapshot of run r2 of CL, which was published 2 s ago.'],
  [
    { by: 'root', status: 'publishing', endedAt: null },
    'root accepted the snapshot of run r2 of CL, which is being published.',
  ],
  [{ ofSet: 'ana' }, 'ana accepted the change set of run r2 of CL.'],
] as const)('explains why there is nothing to review in a run: %o', async (change, message) => {
  const endedAt = new Date(now - 2_000).toISOString()
  const run = { entity: 'CL', runId: 'r2', status: 'published', by: null, endedAt, ...change } as const
  const set = { value: { by: 'ofSet' in change ? change.ofSet : undefined } }
  const changes = { readManifest: async () => set as never }
  expect(await nothingRefused({ changes }, run, now)).toBe(message)
})
