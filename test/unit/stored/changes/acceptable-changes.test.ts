import { expect, it } from 'vitest'
import {
  readAcceptableChanges,
  whyNotAnymore,
  whyNotWithChanges,
} from '../../../../stored/changes/acceptable-changes.ts'
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

/** The comparison of run 2 with the chain's snapshot of run 1. */
interface Compared {
  readonly latest?: string | undefined
  readonly chain?: object | undefined
  readonly refused?: object | undefined
  /** Objects of the chain's snapshot. */
  readonly stored?: readonly string[]
}

async function changesOf({
  latest = refused,
  chain = { tip: published },
  refused: change = {},
  stored = ['page', 'own page'],
}: Compared): Promise<string> {
  const manifests: Record<string, object> = {
    [published]: { entity: 'CL', runId: published, pages: [{ key: 'page' }] },
    [refused]: { entity: 'CL', runId: refused, pages: [{ key: 'own page' }] },
  }
  const stores = {
    snapshots: {
      readManifest: async (_: string, runId: string) => manifests[runId],
      async *listKeys() {
        yield* stored
      },
    },
    changes: {
      readRefused: async () => change && { kind: 'changes', base: published, reviewedParts: [], ...change },
    },
  } as unknown as Parameters<typeof readAcceptableChanges>[0]
  const now = { latest: latest === '' ? undefined : { runId: latest }, chain } as never
  const found = await readAcceptableChanges(stores, {
    ...(now as object),
    entity: 'CL',
    runId: refused,
  } as never)
  return found.kind === 'acceptable' ? 'acceptable' : found.reason
}

it.each<[string, Compared, string]>([
  ['nothing has changed since', {}, 'acceptable'],
  [
    'only increments followed',
    {
      chain: { tip: increment, snapshot: { runId: published } },
      refused: { base: '0', chainSnapshot: published },
    },
    'acceptable',
  ],
  [
    'it is a reset, which a person reviewed by its numbers',
    { refused: { kind: 'reset', reviewedParts: undefined } },
    'acceptable',
  ],
  ['a newer run has published', { latest: increment }, 'The newer run 3 has published.'],
  ['another run is published', { latest: published }, 'Nothing was refused in the comparison of run 2.'],
  ['nothing is published', { latest: '' }, 'Nothing was refused'],
  ['an old release refused it', { refused: { reviewedParts: undefined } }, 'does not record which documents'],
  [
    'the tip moved',
    { chain: { tip: increment } },
    'The tip has moved from run 1 to run 3 since the comparison.',
  ],
  ["the chain's snapshot is gone", { stored: ['own page'] }, "The tip's snapshot is gone"],
  ['a page of its own is gone', { stored: ['page'] }, 'Pages of the snapshot of run 2 are gone.'],
])('a refused change set can be accepted, or not, if %s', async (...[, compared, reason]) => {
  expect(await changesOf(compared)).toContain(reason)
})

it.each([
  [undefined, undefined],
  [{ withChanges: true }, undefined],
  [{}, 'The snapshot of run 2 was accepted without its change set.'],
] as const)(
  'after the decision %j, a change set is not accepted with its snapshot because of %s',
  (decided, reason) => {
    expect(whyNotAnymore(refused, decided)?.slice(0, reason?.length)).toBe(reason)
  },
)
