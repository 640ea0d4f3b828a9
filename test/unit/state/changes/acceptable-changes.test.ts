import { expect, it } from 'vitest'
import { whyNotWithChanges } from '../../../../functions/state/changes/acceptable-changes.ts'
import { entityNamed } from '../../../entity-named.ts'

const [published, refused, increment] = ['1', '2', '3']
const at = (hour: number) => `2026-03-01T${String(hour).padStart(2, '0')}:00:00.000Z`

/** A snapshot that was refused at two o'clock. */
interface Case {
  readonly chain?: object | undefined
  readonly publishedAt?: string
  readonly run?: object
  readonly changes?: false
}

function why({ chain = { tip: published }, publishedAt = at(1), run = {}, changes }: Case) {
  const stores = {
    snapshots: { readLatest: async () => ({ value: { runId: published, publishedAt }, etag: '' }) },
    changes: { readLatest: async () => ({ value: chain, etag: '' }) },
  }
  return whyNotWithChanges(
    stores as unknown as Parameters<typeof whyNotWithChanges>[0],
    entityNamed('CL', changes === false ? { changes } : {}),
    { runId: refused, endedAt: at(2), ...run } as Parameters<typeof whyNotWithChanges>[2],
  )
}

const accepted = { by: 'ana', refusal: '', refusedAt: at(2), acceptedAt: at(5) }

it.each<[string, Case, string]>([
  ['the review shows its deletes', {}, 'accepted'],
  ['only increments followed', { chain: { tip: increment, snapshot: { runId: published } } }, 'accepted'],
  ['there are no change sets', { changes: false }, 'has no change sets'],
  ['the chain is at another snapshot', { chain: { tip: '0' } }, 'would start from that of run 0'],
  ['another snapshot was published since', { publishedAt: at(3) }, 'was published after run 2 was refused'],
  [
    'another was published since, and the run was accepted in vain and refused again',
    { publishedAt: at(3), run: { endedAt: at(6), accepted } },
    'was published after run 2 was refused',
  ],
])('a change set can be accepted with its snapshot, or not, if %s', async (_, given, reason) => {
  expect((await why(given)) ?? 'accepted').toContain(reason)
})
