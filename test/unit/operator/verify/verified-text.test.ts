import { expect, it } from 'vitest'
import { verifiedLines } from '../../../../operator/verify/verified-text.ts'
import type { Mismatch, Verified } from '../../../../operator/verify/verify-stored.ts'

const verified = {
  entity: 'CL',
  runId: 'r',
  documents: 1200,
  uniqueIds: 1,
  pages: 2,
  chainObjects: 0,
  otherSnapshots: 0,
  tableFiles: 0,
  mismatches: [],
  repair: false,
  restored: [],
}
const target = { kind: 'stacks', config: 'shop.config.ts', name: undefined } as const

const configuration = { entities: [{ name: 'CL' }] }

const textOf = (change: Partial<Verified> = {}) =>
  verifiedLines({ ...verified, ...change }, { configuration }, target).join('\n')

it('gives the counts of an intact snapshot', () => {
  expect(textOf()).toBe('Run r of CL matches its manifest: 2 pages, 1,200 documents, 1 unique id.')
})

it('says that there was nothing to repair, or that nothing could be restored', () => {
  expect(textOf({ repair: true })).toMatch(/1 unique id\. There is nothing to repair\.$/)
  const mismatches = [{ key: 'a', problem: '5 lines; the manifest has 3', repair: 'unneeded' as const }]
  expect(textOf({ repair: true, mismatches })).toMatch(
    /^Nothing was restored\.\n.*\n {2}a: 5 lines; the manifest has 3; it has the SHA-256 of the manifest, so no other version helps\n {2}→ .* sync CL /,
  )
})

it('names the objects that were restored, and those that change sets need', () => {
  expect(textOf({ restored: ['a'], chainObjects: 3 })).toBe(
    [
      'Restored an intact version of a.',
      'Run r of CL matches its manifest: 2 pages, 1,200 documents, 1 unique id. 3 more objects that change sets need match theirs.',
      'If a comparison failed because of what was damaged, a sync repeats it: npx --no-install longshore sync CL --watch --config shop.config.ts',
    ].join('\n'),
  )
})

it.each<[neededBy: NonNullable<Mismatch['neededBy']>, resolution: RegExp]>([
  ['table', /; the table needs it\n {2}→ npx .* sync CL /],
  ['other-snapshots', /; the published snapshot does not need it\n {2}→ do not republish these snapshots/],
])('says what resolves what only the %s needs', (neededBy, resolution) => {
  const mismatches = [{ key: 'a', problem: 'does not exist', repair: 'impossible' as const, neededBy }]
  const text = textOf({ mismatches })
  expect(text).toMatch(/^Run r of CL matches its manifest\. Not everything else that is stored:\n/)
  expect(text).toMatch(resolution)
})

it('counts what else matches', () => {
  expect(textOf({ otherSnapshots: 2, tableFiles: 1 })).toMatch(
    /1 unique id\. Also intact: 2 other snapshots, 1 data file of the table\.$/,
  )
})

it('lists every mismatch and how to publish a new snapshot', () => {
  const mismatches = [
    { key: 'a', problem: 'not found in the bucket', repair: 'impossible' as const },
    { key: 'b', problem: 'it lists a page twice' },
  ]
  expect(textOf({ mismatches })).toBe(
    [
      'Run r of CL does not match its manifest:',
      '  a: not found in the bucket; no older version is intact',
      '  b: it lists a page twice',
      '  → npx --no-install longshore sync CL --watch --config shop.config.ts',
    ].join('\n'),
  )
})

it('suggests to reset the change sets if only they need what cannot be restored', () => {
  const mismatches = [
    {
      key: 'a',
      problem: 'not found in the bucket',
      repair: 'impossible' as const,
      neededBy: 'change-sets' as const,
    },
  ]
  expect(textOf({ mismatches })).toMatch(
    /^Run r of CL matches its manifest\. Not what its change sets need in addition:\n {2}a: not found in the bucket; no older version is intact; change sets need it\n {2}→ npx --no-install longshore changes CL --reset --config /,
  )
})

it.each(['possible', 'unknown'] as const)(
  'suggests the repair, which loses nothing, if it is %s',
  (repair) => {
    const mismatches = [
      { key: 'a', problem: 'not gzip', repair: 'impossible' as const },
      { key: 'b', problem: 'not gzip', repair },
    ]
    expect(textOf({ mismatches })).toMatch(
      /\n {2}→ npx --no-install longshore verify CL --repair --config shop\.config\.ts$/,
    )
  },
)

it('does not suggest to sync an entity that was removed from the configuration', () => {
  const mismatches = [{ key: 'b', problem: 'it lists a page twice' }]
  expect(textOf({ entity: 'ZZ', mismatches })).toContain(
    '\n  → configure ZZ again and deploy, then run npx --no-install longshore sync ZZ --watch --config shop.config.ts; or delete its data: npx --no-install longshore purge ZZ --config shop.config.ts',
  )
})
