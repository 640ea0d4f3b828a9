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

const impossible = { key: 'a', problem: 'not found', repair: 'impossible' } as const
const twice = { key: 'b', problem: 'it lists a page twice' }
const sync = 'npx --no-install longshore sync CL --watch --config shop.config.ts'

it.each<[what: string, change: Partial<Verified>, text: readonly string[]]>([
  [
    'the counts of an intact snapshot',
    {},
    ['Run r of CL matches its manifest: 2 pages, 1,200 documents, 1 unique id.'],
  ],
  [
    'the objects that were restored, and those that change sets need',
    { restored: ['a'], chainObjects: 3 },
    [
      'Restored an intact version of a.',
      'Run r of CL matches its manifest: 2 pages, 1,200 documents, 1 unique id. 3 more objects that change sets need match theirs.',
      `If a comparison failed because of what was damaged, a sync repeats it: ${sync}`,
    ],
  ],
  [
    'every mismatch, and how to publish a new snapshot',
    { mismatches: [impossible, twice] },
    [
      'Run r of CL does not match its manifest:',
      '  a: not found; no older version is intact',
      '  b: it lists a page twice',
      `  → ${sync}`,
    ],
  ],
])('gives %s', (_, change, text) => expect(textOf(change)).toBe(text.join('\n')))

const neededBy = (needing: NonNullable<Mismatch['neededBy']>) => [{ ...impossible, neededBy: needing }]
const unneeded = { key: 'a', problem: '5 lines; the manifest has 3', repair: 'unneeded' } as const

it.each<[what: string, change: Partial<Verified>, text: RegExp]>([
  ['there was nothing to repair', { repair: true }, /1 unique id\. There is nothing to repair\.$/],
  [
    'nothing could be restored',
    { repair: true, mismatches: [unneeded] },
    /^Nothing was restored\.\n.*\n {2}a: 5 lines; the manifest has 3; it has the SHA-256 of the manifest, so no other version helps\n {2}→ .* sync CL /,
  ],
  [
    'only the table needs it',
    { mismatches: neededBy('table') },
    /^Run r of CL matches its manifest\. Not everything else that is stored:\n.*; the table needs it\n {2}→ npx .* sync CL /,
  ],
  [
    'only other snapshots need it',
    { mismatches: neededBy('other-snapshots') },
    /\. Not everything else that is stored:\n.*; the published snapshot does not need it\n {2}→ do not republish these snapshots/,
  ],
  [
    'only change sets need what cannot be restored, so that a reset helps',
    { mismatches: neededBy('change-sets') },
    /^Run r of CL matches its manifest\. Not everything else that is stored:\n {2}a: not found; no older version is intact; change sets need it\n {2}→ npx --no-install longshore changes CL --reset --config /,
  ],
  [
    'something else matches',
    { otherSnapshots: 2, tableFiles: 1 },
    /1 unique id\. Also intact: 2 other snapshots, 1 data file of the table\.$/,
  ],
  ...(['possible', 'unknown'] as const).map((repair): [string, Partial<Verified>, RegExp] => [
    `the repair is ${repair}, which loses nothing`,
    { mismatches: [impossible, { ...twice, repair }] },
    /\n {2}→ npx --no-install longshore verify CL --repair --config shop\.config\.ts$/,
  ]),
  [
    'the entity was removed from the configuration, so that no sync helps',
    { entity: 'ZZ', mismatches: [twice] },
    /\n {2}→ configure ZZ again and deploy, then run npx --no-install longshore sync ZZ --watch --config shop\.config\.ts; or delete its data: npx --no-install longshore purge ZZ --config shop\.config\.ts/,
  ],
])('says that %s', (_, change, text) => expect(textOf(change)).toMatch(text))
