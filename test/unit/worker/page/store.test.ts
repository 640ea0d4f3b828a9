import { expect, it } from 'vitest'
import { type PageStores, storeEnd, storePage } from '../../../../functions/worker/page/store.ts'
import type { Position } from '../../../../stored/pages/page.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const attempt = { entity: 'CL', runId: 'r', attempt: 2 }
const after = { page: 6, documentsSoFar: 600, repeatedPages: 3 } as unknown as Position
const cursor = { token: 't', total: 700, respondedAt: now } as never
const received = { request: '/scroll', exchanges: [], bodySha256: '' }
const prepared = {
  spaceBytes: 0,
  replacesLineBreaks: false,
  object: Buffer.from('object'),
  sha256: Buffer.from('ab', 'hex'),
  documents: 100,
  documentsWithoutId: 2,
  fingerprints: Buffer.alloc(0),
}

/** What is written, in its order. */
function stores() {
  const writes: unknown[][] = []
  const write =
    (name: string) =>
    async (...given: unknown[]) =>
      void writes.push([name, ...given])
  const used = {
    now: () => now,
    uniqueName: () => 'unique',
    state: { commitPage: write('commitPage'), commitEnd: write('commitEnd') },
    snapshots: { putPage: write('putPage') },
  }
  return { writes, stores: used as unknown as PageStores }
}

it('stores the object of a page before it commits the page, which counts all of its documents', async () => {
  const { writes, stores: used } = stores()
  const page = await storePage(used, attempt, { page: prepared, cursor, after, repeatedPages: 1, received })
  expect(page).toMatchObject({
    page: 7,
    key: expect.stringMatching(/^snapshots\/CL\/r\/a2-p000007-unique/) as string,
    documents: 100,
    documentsWithoutId: 2,
    documentsSoFar: 700,
    repeatedPages: 1,
    bytes: 6,
    sha256: 'ab',
    token: 't',
  })
  expect(writes).toEqual([
    ['putPage', page.key, prepared.object, prepared.sha256],
    ['commitPage', attempt, page, now],
  ])
})

it('commits the end after the last page, with what confirmed it', async () => {
  for (const [evidence, isConfirmed] of [
    ['confirmed', true],
    ['refused', true],
    ['unconfirmed', false],
  ] as const) {
    const { writes, stores: used } = stores()
    const end = await storeEnd(used, attempt, { cursor, after, evidence, received })
    expect(end).toMatchObject({ page: 7, documentsSoFar: 600, repeatedPages: 3, isConfirmed, evidence })
    expect(writes).toEqual([['commitEnd', attempt, end, now]])
  }
})
