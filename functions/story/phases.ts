import type { IncrementRun } from '../../stored/run/increment-run.ts'
import type { GuardDecision, GuardLimits, Run, RunResult, SnapshotRun } from '../../stored/run/run.ts'
import { hasEnded, highestAttempt, rangesOfRun, splitOfRun } from '../../stored/run/run.ts'
import { shrinkLimitText } from '../../stored/run/shrink-limit.ts'
import { formatCount, plural } from '../runtime/format.ts'
import type { PageTimes } from './page-times.ts'

export interface StoryFacts {
  /** Epoch milliseconds. */
  readonly now: number
  /** Undefined if they are not known. */
  readonly pages?: PageTimes | undefined
  /** What a refused run had proven, while it is kept. */
  readonly refused?: FoundProof | undefined
}

/** What a run did, in order. */
export function spansOf(run: Run, facts: StoryFacts): Span[] {
  if (run.kind === 'increment') return [incrementSpan(run)]
  const scrolled = run.kind === 'full' ? scrollSpans(run, facts) : [copySpan(run)]
  return [...scrolled, ...endSpans(run, facts)]
}

function incrementSpan(run: IncrementRun): Span {
  const phase = { name: 'Increment', from: run.startedAt }
  if (run.status !== 'published') return lastSpan(run, { ...phase, detail: '' })
  const { from, to, records } = run.increment
  const detail = `window from ${from} to ${to}, ${plural(records, 'record')}`
  return { ...phase, state: 'done', to: run.endedAt, detail }
}

/** The phase in which the run is, or ended. Its end says why. */
function lastSpan(run: Run, phase: Pick<Span, 'name' | 'from' | 'detail'>): Span {
  return { ...phase, state: hasEnded(run) ? 'stopped' : 'now', to: hasEnded(run) ? run.endedAt : null }
}

const spanUntil = (run: Run, phase: Pick<Span, 'name' | 'from' | 'detail'>, to: string | null): Span =>
  to === null ? lastSpan(run, phase) : { ...phase, to, state: 'done' }

const provenStatuses: readonly Run['status'][] = ['publishing', 'published', 'refused']
const isProven = ({ status }: Run) => provenStatuses.includes(status)

/** When the run stopped working by itself; null while it works. */
const workedUntil = (run: SnapshotRun): string | null =>
  run.accepted?.refusedAt ?? (hasEnded(run) ? run.endedAt : null)

/** Not known of runs of 1.0.0, and if the publication was resumed. */
const provenAtOf = (run: SnapshotRun): string | null =>
  run.guarded?.decidedAt ?? (run.status === 'publishing' ? run.result.finishedAt : null)

const provenEnd = (run: SnapshotRun) => (isProven(run) ? (provenAtOf(run) ?? workedUntil(run)) : null)

const copySpan = (run: SnapshotRun & { readonly kind: 'republication' }): Span =>
  spanUntil(
    run,
    { name: 'Copy', from: run.startedAt, detail: `of run ${run.republishedFrom}` },
    provenEnd(run),
  )

/** What a run did until it had scrolled everything. */
function scrollSpans(run: SnapshotRun, { now, pages }: StoryFacts): Span[] {
  const before = spansBeforeScroll(run, pages?.firstAt ?? workedUntil(run) ?? new Date(now).toISOString())
  const last = before.at(-1)
  if (last && last.state !== 'done') return before
  const from = last?.to ?? run.startedAt
  const count = pageCount(run, pages)
  if (!pages) {
    const what =
      count > 0 ? { name: 'Scroll', detail: plural(count, 'page') } : { name: 'First page', detail: '' }
    return [...before, spanUntil(run, { ...what, from }, provenEnd(run))]
  }
  const to = isProven(run) || pages.hasScrolled ? pages.lastAt : null
  return [
    ...before,
    { name: 'First page', state: 'done', from, to: pages.firstAt, detail: '' },
    spanUntil(run, { name: 'Scroll', from: pages.firstAt, detail: scrollDetail(count, pages) }, to),
  ]
}

/** Waiting for a slot, then what came before the current attempt. `limit`: the first page, or the end. */
function spansBeforeScroll(run: SnapshotRun, limit: string): Span[] {
  const waits = (run.waits ?? []).filter((wait) => wait.for === 'slot' && wait.from < limit)
  const last = waits.at(-1)
  const isWaiting = run.status === 'waiting' && last !== undefined && last === run.waits?.at(-1)
  const slotEnd = last && !isWaiting ? earliest(last.to, limit) : null
  const spans = last
    ? [spanUntil(run, { name: 'Waiting for a slot', from: run.startedAt, detail: '' }, slotEnd)]
    : []
  const from = slotEnd ?? run.startedAt
  const attemptAt = rangesOfRun(run)
    .map(({ attemptStartedAt }) => attemptStartedAt)
    .toSorted()[0]
  const earlier = earlierWork(run)
  if (isWaiting || !earlier || attemptAt === undefined || attemptAt <= from) return spans
  return [...spans, { ...earlier, state: 'done', from, to: earliest(attemptAt, limit) }]
}

const earliest = (one: string, other: string) => (one < other ? one : other)

/** What came before the current attempt; undefined for the first attempt of one scroll. */
function earlierWork(run: SnapshotRun): Pick<Span, 'name' | 'detail'> | undefined {
  const split = splitOfRun(run)
  const attempt = highestAttempt(run)
  if (split?.kind === 'ranges')
    return { name: 'Planning ranges', detail: plural(split.ranges.length, 'range') }
  if (attempt > 1) return { name: 'Earlier attempts', detail: plural(attempt - 1, 'attempt') }
  return split?.kind === 'fallback' ? { name: 'Ranges (abandoned)', detail: split.reason } : undefined
}

const pageCount = (run: SnapshotRun, pages: PageTimes | undefined) =>
  hasEnded(run) ? run.pages : (pages?.count ?? 0)

function scrollDetail(count: number, { firstAt, lastAt }: PageTimes): string {
  const ms = Date.parse(lastAt) - Date.parse(firstAt)
  const rate = ms > 0 ? `, ${Math.round((count * 10_000) / ms) / 10} pages/s` : ''
  return `${plural(count, 'page')}${rate}`
}

/** Proof, guards and publication. The guards decide at once, so that they have no duration. */
function endSpans(run: SnapshotRun, { pages, refused }: StoryFacts): Span[] {
  const proof = foundProof(run, refused)
  const detail = proof ? proofDetail(proof) : ''
  const provenAt = provenAtOf(run)
  if (provenAt === null) return unprovenSpans(run, pages, detail)
  const proven: Span = {
    name: 'Proof',
    state: 'done',
    from: pages?.lastAt ?? provenAt,
    to: pages ? provenAt : null,
    detail,
  }
  const { guarded } = run
  if (!guarded) return [proven, lastSpan(run, { name: 'Guards and publication', from: provenAt, detail: '' })]
  const state = guarded.refusedBy === undefined ? 'done' : 'refused'
  const checks = checksOf(run, guarded)
  const decided: Span = { name: 'Guards', state, from: provenAt, to: null, detail: '', checks }
  return [proven, decided, ...publicationSpans(run, provenAt)]
}

function unprovenSpans(run: SnapshotRun, pages: PageTimes | undefined, detail: string): Span[] {
  if (!pages) return []
  const from = pages.lastAt
  if (!isProven(run)) return pages.hasScrolled ? [lastSpan(run, { name: 'Proof', from, detail: '' })] : []
  // It has not recorded when it was proven.
  const phase = { name: 'Proof, guards and publication', from, detail }
  const state = run.status === 'refused' ? 'refused' : 'done'
  return [run.status === 'publishing' ? lastSpan(run, phase) : { ...phase, state, to: workedUntil(run) }]
}

function publicationSpans(run: SnapshotRun, provenAt: string): Span[] {
  const { accepted, guarded } = run
  if (!accepted && guarded?.refusedBy !== undefined) return []
  const publication = { name: 'Publication', from: accepted?.acceptedAt ?? provenAt, detail: '' }
  const published = spanUntil(run, publication, run.status === 'published' ? run.endedAt : null)
  if (!accepted) return [published]
  const { by, refusedAt, acceptedAt } = accepted
  const waited = { name: 'Waiting for a decision', from: refusedAt, detail: `accepted by ${by}` }
  return [{ ...waited, state: 'done', to: acceptedAt }, published]
}

function proofDetail({ proof, uniqueIds, reportedTotal }: FoundProof): string {
  const total = reportedTotal === null ? 'no reported total' : `reported total ${formatCount(reportedTotal)}`
  return `${proof}: ${plural(uniqueIds, 'unique id')}, ${total}`
}

/** What the guards compared, and what each of them decided. */
function checksOf(run: SnapshotRun, decision: GuardDecision): Check[] {
  const limits = run.kind === 'full' ? run.plan : run.limits
  const { uniqueIds, refusedBy } = decision
  const documents =
    uniqueIds === 0 && limits.allowEmpty ? 'none, which allowEmpty allows' : formatCount(uniqueIds)
  const known = [
    { name: 'Documents', key: 'allowEmpty', detail: documents },
    ...(refusedBy === 'idField' ? [{ name: 'Ids', key: refusedBy, detail: 'none' }] : []),
    { name: 'Shrink', key: 'maxShrinkPercent', detail: shrinkText(run, decision, limits) },
  ]
  const isOther = refusedBy !== undefined && known.every(({ key }) => key !== refusedBy)
  const all = isOther ? [...known, { name: refusedBy, key: refusedBy, detail: '' }] : known
  const stoppedAt = all.findIndex(({ key }) => key === refusedBy)
  return all.map(({ name, detail }, index) => {
    const isReached = stoppedAt < 0 || index <= stoppedAt
    const state = index === stoppedAt ? 'refused' : isReached ? 'passed' : 'not reached'
    return { name, state, detail }
  })
}

/** `700 before, 200 after (71.4% fewer), limit 30%` */
function shrinkText(
  { acceptShrink }: SnapshotRun,
  { uniqueIds, publishedIds }: GuardDecision,
  limits: GuardLimits,
): string {
  if (publishedIds === undefined) return 'nothing was published before'
  const counts = `${formatCount(publishedIds)} before, ${formatCount(uniqueIds)} after`
  const lost = publishedIds - uniqueIds
  const fewer = lost > 0 ? ` (${((lost * 100) / publishedIds).toFixed(1)}% fewer)` : ''
  const limit = acceptShrink ? 'no limit: started with “accept shrink”' : `limit ${shrinkLimitText(limits)}`
  return `${counts}${fewer}, ${limit}`
}

/** A part of a run. Times are ISO 8601 in UTC. */
export interface Phase {
  readonly name: string
  /** `stopped`: the run ended here without publishing. `refused`: a guard stopped it here. */
  readonly state: 'done' | 'now' | 'stopped' | 'refused'
  readonly from: string
  /** Null if it is not known, or for a step that takes no time. Until now for the phase that is in progress. */
  readonly durationMs: number | null
  readonly detail: string
  /** Of the guards. */
  readonly checks: readonly Check[]
}

/** What one guard decided. */
export interface Check {
  readonly name: string
  readonly state: 'passed' | 'refused' | 'not reached'
  readonly detail: string
}

/** A phase by its times. `to` is null if its end is not known, or if it has not ended. */
export interface Span extends Pick<Phase, 'name' | 'state' | 'from' | 'detail'> {
  readonly to: string | null
  readonly checks?: readonly Check[]
}

export function phaseOf({ to, checks = [], ...span }: Span, now: number): Phase {
  const end = span.state === 'now' ? now : Date.parse(to ?? '')
  const durationMs = Number.isNaN(end) ? null : Math.max(0, end - Date.parse(span.from))
  return { ...span, checks, durationMs }
}

/** What showed that a run is complete. */
export type FoundProof = Pick<RunResult, 'proof' | 'uniqueIds' | 'reportedTotal'>

/** `refused`: the manifest that a refused run would have had, while it is kept. */
export function foundProof(run: Run, refused: FoundProof | undefined): FoundProof | undefined {
  if (run.status === 'publishing') return 'result' in run ? run.result : undefined
  if (run.status !== 'published') return refused
  return { proof: run.proof, uniqueIds: run.uniqueIds, reportedTotal: run.total ?? null }
}
