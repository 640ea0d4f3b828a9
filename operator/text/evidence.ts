import type { CoverageEvidence, Evidence, RangeEvidence } from '../../functions/publisher/check/evidence.ts'
import { formatCount, formatDocuments, plural, sentence } from '../../functions/runtime/format.ts'

/** A part of the evidence, as command line and console show it. */
export interface EvidenceSection {
  readonly title: string
  readonly facts: readonly (readonly [name: string, value: string])[]
  /** Why these facts give the proof. */
  readonly reasons: readonly string[]
}

/** What a proof was decided from, and why it follows. Times and totals are as they were recorded. */
export function evidenceSections(evidence: Evidence): EvidenceSection[] {
  const { ranges, coverage, limits } = evidence
  return [
    { title: 'Snapshot', facts: snapshotFacts(evidence), reasons: [] },
    ...ranges.map((range, index) => ({
      title: coverage ? `Range ${index + 1}` : 'Scroll',
      facts: rangeFacts(range),
      reasons: [reasonOfRange(range, limits)],
    })),
    ...(coverage
      ? [{ title: 'Coverage', facts: coverageFacts(coverage), reasons: coverageReasons(coverage, ranges) }]
      : []),
  ]
}

type Facts = EvidenceSection['facts']

function snapshotFacts({ limits, ...evidence }: Evidence): Facts {
  return [
    ['Entity', evidence.entity],
    ['Run', evidence.runId],
    ['Checked', evidence.checkedAt],
    ['Unique ids', formatCount(evidence.uniqueIds)],
    ['Documents without id', formatCount(evidence.withoutId)],
    ['Sum of ids', evidence.idSum],
    ['SHA-256 of pages', evidence.pagesSha256],
    ['Totals', limits.totals === 'check' ? 'compared with the unique ids' : 'ignored'],
    ['Tolerance', `${limits.totalTolerancePercent}%`],
    ['Shrink limit', `${limits.maxShrinkPercent}%`],
    ['Empty snapshot', limits.allowEmpty ? 'allowed' : 'refused'],
  ]
}

const ends: Readonly<Record<RangeEvidence['end'], string>> = {
  confirmed: 'confirmed: nothing makes it doubtful',
  refused: 'refused: the platform refused the last request, as it also does for a scroll that it has lost',
  unconfirmed: 'unconfirmed: no response confirmed it',
}

function rangeFacts(range: RangeEvidence): Facts {
  const { where, total, unknown, publishedIds, earlier } = range
  return [
    ['Filter', where ?? 'none'],
    ['Attempt', formatCount(range.attempt)],
    ['Opened', range.openedAt],
    ['Reported total', total === null ? 'none' : /^[\d.]+$/.test(total) ? total : JSON.stringify(total)],
    ['Documents', formatCount(range.documents)],
    ['Unique ids', formatCount(range.uniqueIds)],
    ['Largest page', formatDocuments(range.largestPage)],
    ['End', ends[range.end]],
    ['Suspect', yesOrNo(range.suspect)],
    ['Published before', publishedIds === null ? 'nothing' : plural(publishedIds, 'unique id')],
    ...unknown.map(({ page, at, what }) => ['Unknown outcome', `page ${page}, ${at}: ${what}`] as const),
    ...earlier.map(
      ({ attempt, uniqueIds, suspect }) =>
        [`Attempt ${attempt}`, `${plural(uniqueIds, 'unique id')}${suspect ? ', suspect' : ''}`] as const,
    ),
    ['Proof', range.proof],
  ]
}

type Limits = Evidence['limits']

/** The rules are those of functions/publisher/check/proof.ts. */
function reasonOfRange(range: RangeEvidence, limits: Limits): string {
  const facts = [
    `${plural(range.uniqueIds, 'unique id')} in the stored pages`,
    totalReason(range, limits),
    endReasons[range.end],
    range.suspect
      ? 'what makes the attempt suspect lost nothing, because the count is the total'
      : 'the outcome of every request is known',
    agreementReason(range, limits),
  ]
  return `${facts.filter((fact) => fact !== undefined).join('; ')}: ${range.proof}.`
}

const endReasons: Readonly<Record<RangeEvidence['end'], string>> = {
  confirmed: 'nothing makes the end of the scroll doubtful',
  refused: 'the platform refused the last request, which alone does not confirm the end',
  unconfirmed: 'no response confirmed the end of the scroll',
}

function totalReason({ total, uniqueIds, proof }: RangeEvidence, limits: Limits): string {
  if (limits.totals === 'ignore') return 'the total of the platform is ignored'
  if (total === null && proof === 'no-total') return 'the platform reported no total'
  const tolerance = `within the tolerance of ${limits.totalTolerancePercent}%`
  if (total === null)
    return `a search reported ${proof === 'exact' ? formatCount(uniqueIds) : `a total ${tolerance}`} when the scroll was opened`
  // Equal totals may be repeated by an intermediary.
  const reported = Number.parseFloat(total)
  const difference = Math.abs(reported - uniqueIds)
  const compared = difference === 0 ? '' : `, a difference of ${formatCount(difference)}, ${tolerance}`
  return `the platform reported ${formatCount(reported)}${compared}`
}

/** Earlier attempts were counted only if the last one alone was no proof. */
function agreementReason({ earlier, uniqueIds, end, proof }: RangeEvidence, limits: Limits) {
  const clean = earlier.filter(({ suspect }) => !suspect)
  const same = clean.find((one) => one.uniqueIds === uniqueIds)
  if (same) return `attempt ${same.attempt} found the same number`
  if (proof !== 'no-total' || end !== 'refused') return undefined
  const isNear = (count: number) =>
    Math.abs(count - uniqueIds) * 100 <= limits.totalTolerancePercent * uniqueIds
  const near = clean.find((one) => isNear(one.uniqueIds))
  return near
    ? `attempt ${near.attempt} found ${formatCount(near.uniqueIds)}, which is within the tolerance of ${limits.totalTolerancePercent}%`
    : 'the snapshot that was published before has less than a page more'
}

function coverageFacts(coverage: CoverageEvidence): Facts {
  const { whole, ranges, onBoundaries } = coverage
  return [
    ['Field', coverage.by],
    ['Boundaries', coverage.boundaries.join(', ') || 'none'],
    ['Whole entity, before and after', whole.map(formatCount).join(' and ')],
    ['Ranges', counts(ranges)],
    ['On boundaries', counts(onBoundaries)],
    ['Found in two ranges', formatDocuments(coverage.overlap)],
    ['Opened after a later range', yesOrNo(coverage.reopened)],
    ['Contains the whole', coverage.exact ? 'shown' : 'not shown'],
  ]
}

function coverageReasons(coverage: CoverageEvidence, ranges: readonly RangeEvidence[]): string[] {
  const { whole, exact } = coverage
  const isExact = exact && ranges.every(({ proof }) => proof === 'exact')
  const contained = 'the ranges contain every document'
  const covered = exact ? contained : `that ${contained} is not shown`
  const searched = `Searches found ${formatDocuments(whole[0])} without ranges before and ${formatCount(whole[1])} after, ${formatCount(sumOf(coverage.ranges))} in the ranges, and ${formatCount(sumOf(coverage.onBoundaries))} on the boundaries, which are in two ranges: ${covered}.`
  const all = `${ranges.every(({ proof }) => proof === 'exact') ? '' : 'not '}each range is exact`
  const reason = sentence(`${covered}; ${all}: ${isExact ? 'exact' : 'within-tolerance'}`)
  return coverage.ranges.length === 0 ? [reason] : [searched, reason]
}

const counts = (numbers: readonly number[]) => numbers.map(formatCount).join(' + ') || 'not recorded'
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0)
const yesOrNo = (value: boolean) => (value ? 'yes' : 'no')
