import { expect, it } from 'vitest'
import type { Version } from '../../../../local/embedded/s3/journal.ts'
import { keptVersions } from '../../../../local/embedded/s3/kept-versions.ts'

const day = 24 * 60 * 60_000
const now = 100 * day
const common = (key: string, daysAgo: number) => ({
  key,
  versionId: `${key}${daysAgo}`,
  writtenAt: now - daysAgo * day,
})
const object = (key: string, daysAgo: number): Version => ({
  kind: 'object',
  sizeBytes: 1,
  etag: '"1"',
  headers: {},
  ...common(key, daysAgo),
})
const marker = (key: string, daysAgo: number): Version => ({ kind: 'delete-marker', ...common(key, daysAgo) })

it.each<[string, Version[], string[]]>([
  ['an object, however old it is', [object('a', 90)], ['a90']],
  ['what was overwritten less than 7 days ago', [object('a', 90), object('a', 6)], ['a90', 'a6']],
  ['not what was overwritten 7 days ago', [object('a', 90), object('a', 7)], ['a7']],
  ['what was deleted less than 7 days ago', [object('a', 90), marker('a', 6)], ['a90', 'a6']],
  ['not the marker of an object without versions', [object('a', 90), marker('a', 7), object('b', 8)], ['b8']],
])('the bucket keeps %s', (_, versions, kept) => {
  expect(keptVersions(versions, now).map(({ versionId }) => versionId)).toEqual(kept)
})
