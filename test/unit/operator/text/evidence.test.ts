import { describe, expect, it } from 'vitest'
import type {
  CoverageEvidence,
  Evidence,
  RangeEvidence,
} from '../../../../functions/publisher/check/evidence.ts'
import { evidenceSections } from '../../../../operator/text/evidence.ts'

const range: RangeEvidence = {
  where: null,
  attempt: 1,
  openedAt: '2031-01-02T00:00:00.000Z',
  total: '5000',
  documents: 5001,
  uniqueIds: 5000,
  largestPage: 1000,
  suspect: false,
  unknown: [],
  end: 'confirmed',
  publishedIds: 4990,
  proof: 'exact',
  earlier: [],
}

const evidence: Evidence = {
  version: 1,
  entity: 'CL',
  runId: 'r',
  checkedAt: '2031-01-02T00:01:00.000Z',
  pagesSha256: 'ab',
  limits: { totals: 'check', totalTolerancePercent: 1, maxShrinkPercent: 30, allowEmpty: false },
  ranges: [range],
  coverage: null,
  uniqueIds: 5000,
  withoutId: 1,
  idSum: '0f',
}

const sectionsOf = (change: Partial<Evidence>) => evidenceSections({ ...evidence, ...change })
const factsOf = (change: Partial<Evidence>, title: string) =>
  sectionsOf(change).find((section) => section.title === title)?.facts

const known = 'the outcome of every request is known'
const ended = 'nothing makes the end of the scroll doubtful'
const refusedEnd = 'the platform refused the last request, which alone does not confirm the end'
const ids = '5,000 unique ids in the stored pages'
const clean = { attempt: 1, uniqueIds: 5000, suspect: false }
const ignore = { ...evidence.limits, totals: 'ignore' } as const

it.each<[change: Partial<RangeEvidence>, reason: string, limits?: Evidence['limits']]>([
  [{}, `${ids}; the platform reported 5,000; ${ended}; ${known}: exact.`],
  [
    { uniqueIds: 1, total: '1.0, 1.0' },
    `1 unique id in the stored pages; the platform reported 1; ${ended}; ${known}: exact.`,
  ],
  [
    { suspect: true },
    `${ids}; the platform reported 5,000; ${ended}; what makes the attempt suspect lost nothing, because the count is the total: exact.`,
  ],
  [
    { total: null, where: 'a' },
    `${ids}; a search reported 5,000 when the scroll was opened; ${ended}; ${known}: exact.`,
  ],
  [
    { total: null, where: 'a', proof: 'within-tolerance' },
    `${ids}; a search reported a total within the tolerance of 1% when the scroll was opened; ${ended}; ${known}: within-tolerance.`,
  ],
  [
    { total: '5010', proof: 'within-tolerance' },
    `${ids}; the platform reported 5,010, a difference of 10, within the tolerance of 1%; ${ended}; ${known}: within-tolerance.`,
  ],
  [
    {
      total: '4990',
      proof: 'within-tolerance',
      end: 'unconfirmed',
      attempt: 3,
      earlier: [
        { ...clean, suspect: true },
        { ...clean, attempt: 2 },
      ],
    },
    `${ids}; the platform reported 4,990, a difference of 10, within the tolerance of 1%; no response confirmed the end of the scroll; ${known}; attempt 2 found the same number: within-tolerance.`,
  ],
  [
    { proof: 'within-tolerance', end: 'refused', attempt: 2, earlier: [clean] },
    `${ids}; the platform reported 5,000; ${refusedEnd}; ${known}; attempt 1 found the same number: within-tolerance.`,
  ],
  [
    { total: null, proof: 'no-total' },
    `${ids}; the platform reported no total; ${ended}; ${known}: no-total.`,
  ],
  [
    { proof: 'no-total', end: 'refused' },
    `${ids}; the total of the platform is ignored; ${refusedEnd}; ${known}; the snapshot that was published before has less than a page more: no-total.`,
    ignore,
  ],
  [
    { total: null, proof: 'no-total', end: 'refused', earlier: [{ ...clean, uniqueIds: 5050 }] },
    `${ids}; the platform reported no total; ${refusedEnd}; ${known}; attempt 1 found 5,050, which is within the tolerance of 1%: no-total.`,
  ],
])('explains why the facts of a scroll give its proof: %j', (change, reason, limits = evidence.limits) => {
  expect(sectionsOf({ limits, ranges: [{ ...range, ...change }] })[1]).toMatchObject({
    title: 'Scroll',
    reasons: [reason],
  })
})

it('a snapshot has its run, its sums and its limits', () => {
  expect(factsOf({}, 'Snapshot')).toEqual([
    ['Entity', 'CL'],
    ['Run', 'r'],
    ['Checked', '2031-01-02T00:01:00.000Z'],
    ['Unique ids', '5,000'],
    ['Documents without id', '1'],
    ['Sum of ids', '0f'],
    ['SHA-256 of pages', 'ab'],
    ['Totals', 'compared with the unique ids'],
    ['Tolerance', '1%'],
    ['Shrink limit', '30%'],
    ['Empty snapshot', 'refused'],
  ])
  expect(factsOf({ limits: { ...ignore, allowEmpty: true } }, 'Snapshot')).toEqual(
    expect.arrayContaining([
      ['Totals', 'ignored'],
      ['Empty snapshot', 'allowed'],
    ]),
  )
})

it('a scroll has what the platform sent, each request without a known outcome, and earlier attempts', () => {
  const unknown = [{ page: 7, at: '2031-01-02T00:00:07.000Z', what: 'timeout' }]
  const earlier = [clean, { attempt: 2, uniqueIds: 1, suspect: true }]
  expect(factsOf({ ranges: [{ ...range, suspect: true, unknown, earlier, attempt: 3 }] }, 'Scroll')).toEqual([
    ['Filter', 'none'],
    ['Attempt', '3'],
    ['Opened', '2031-01-02T00:00:00.000Z'],
    ['Reported total', '5000'],
    ['Documents', '5,001'],
    ['Unique ids', '5,000'],
    ['Largest page', '1,000 documents'],
    ['End', 'confirmed: nothing makes it doubtful'],
    ['Suspect', 'yes'],
    ['Published before', '4,990 unique ids'],
    ['Unknown outcome', 'page 7, 2031-01-02T00:00:07.000Z: timeout'],
    ['Attempt 1', '5,000 unique ids'],
    ['Attempt 2', '1 unique id, suspect'],
    ['Proof', 'exact'],
  ])
})

it.each([
  [null, 'none'],
  ['', '""'],
  ['5000.0', '5000.0'],
  ['5\u001b[2J', '"5\\u001b[2J"'],
])('the total %j is shown as %s', (total, text) => {
  expect(factsOf({ ranges: [{ ...range, total }] }, 'Scroll')).toContainEqual(['Reported total', text])
})

describe('the coverage of ranges', () => {
  const coverage: CoverageEvidence = {
    by: 'createdIn',
    boundaries: ['2030-01-01', '2030-06-01'],
    whole: [5000, 5000],
    ranges: [3000, 2002],
    onBoundaries: [1, 1],
    reopened: false,
    overlap: 2,
    exact: true,
  }
  const other: RangeEvidence = { ...range, where: '(createdIn is null)', proof: 'within-tolerance' }
  const sectionOf = (change: Partial<CoverageEvidence>, ranges: readonly RangeEvidence[]) =>
    sectionsOf({ coverage: { ...coverage, ...change }, ranges }).at(-1)
  const searched =
    'Searches found 5,000 documents without ranges before and 5,000 after, 5,002 in the ranges, and 2 on the boundaries, which are in two ranges'

  it('is shown with its ranges, boundaries and totals', () => {
    expect(sectionsOf({ coverage, ranges: [range, other] }).map(({ title }) => title)).toEqual([
      'Snapshot',
      'Range 1',
      'Range 2',
      'Coverage',
    ])
    expect(sectionOf({}, [range])?.facts).toEqual([
      ['Field', 'createdIn'],
      ['Boundaries', '2030-01-01, 2030-06-01'],
      ['Whole entity, before and after', '5,000 and 5,000'],
      ['Ranges', '3,000 + 2,002'],
      ['On boundaries', '1 + 1'],
      ['Found in two ranges', '2 documents'],
      ['Opened after a later range', 'no'],
      ['Contains the whole', 'shown'],
    ])
  })

  it.each<[string, Parameters<typeof sectionOf>, ...(readonly string[])]>([
    [
      'is exact with exact ranges that contain the whole',
      [{}, [range]],
      `${searched}: the ranges contain every document.`,
      'The ranges contain every document; each range is exact: exact.',
    ],
    [
      'is within tolerance if a range is',
      [{}, [range, other]],
      `${searched}: the ranges contain every document.`,
      'The ranges contain every document; not each range is exact: within-tolerance.',
    ],
    [
      'is within tolerance if an older release recorded no totals that show it',
      [{ exact: false, ranges: [], onBoundaries: [] }, [range]],
      'That the ranges contain every document is not shown; each range is exact: within-tolerance.',
    ],
  ])('%s', (_, args, ...reasons) => expect(sectionOf(...args)?.reasons).toEqual(reasons))
})
