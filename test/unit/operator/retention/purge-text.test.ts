import { expect, it } from 'vitest'
import type { Purge } from '../../../../operator/retention/purge.ts'
import { purgeText } from '../../../../operator/retention/purge-text.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const snapshot = { documents: 95, publishedAt: '2026-11-19T12:00:00Z' }
const purge = (counts: { keys: number; versions: number; items: number }, published: Purge['snapshot']) =>
  ({
    entity: 'PR',
    snapshot: published,
    versions: Array.from({ length: counts.versions }, (_, index) => ({ key: String(index % counts.keys) })),
    items: Array(counts.items).fill({}),
  }) as unknown as Purge

it.each([
  [
    purge({ keys: 12, versions: 30, items: 5 }, snapshot),
    'a snapshot of 95 documents, published 2 d ago; 12 objects in 30 versions; 5 items of the state table',
  ],
  [
    purge({ keys: 1, versions: 1, items: 1 }, null),
    'no published snapshot; 1 object in 1 version; 1 item of the state table',
  ],
  [
    purge({ keys: 1, versions: 0, items: 2 }, null),
    'no published snapshot; 0 objects; 2 items of the state table',
  ],
])('names what is deleted (%#)', (found, text) => expect(purgeText(found, now)).toBe(text))
