import { givesUpAt } from '../../stored/run/gives-up.ts'
import type { EndedIncrement } from '../../stored/run/increment-run.ts'
import type { RangeState } from '../../stored/run/range.ts'
import type { EndedRun, PublishedRun, Run, RunWait } from '../../stored/run/run.ts'
import { acceptanceOf, hasEnded, rangesOfRun, splitOfRun } from '../../stored/run/run.ts'
import { knownFix } from '../problems/run-fixes.ts'
import {
  formatCount,
  formatDocuments,
  formatDuration,
  formatRoughDuration,
  plural,
} from '../runtime/format.ts'
import { intermediaryTexts } from '../upstream/intermediary.ts'

/** A sentence about what happened in a run. */
export interface StoryNote {
  readonly level: 'info' | 'good' | 'warning' | 'problem'
  readonly text: string
}

/** Attempts, waits and faults, in the order in which a reader needs them. `now` is in epoch milliseconds. */
export function eventsOf(run: Run, now: number): StoryNote[] {
  return [
    ...startNotes(run),
    ...attemptNotes(run),
    ...waitNotes(run, now),
    ...faultNotes(run),
    ...acceptanceNotes(run),
  ]
}

/** How a run ended, or that it is about to. */
export const endingNotes = (run: Run): StoryNote[] => [...endNotes(run), ...abandonedNotes(run)]

const note = (level: StoryNote['level'], text: string): StoryNote => ({ level, text })

function startNotes(run: Run): StoryNote[] {
  const notes: StoryNote[] = []
  if (run.kind !== 'increment' && run.acceptShrink)
    notes.push(note('info', 'Started with “accept shrink”: the shrink guard does not apply.'))
  if (run.kind === 'full' && run.repeat !== undefined)
    notes.push(note('info', `Repeats run ${run.repeat.of}, which failed because the platform was away.`))
  const split = splitOfRun(run)
  if (split?.kind === 'ranges') {
    const { ranges, by, total } = split
    const text = `Scrolled in ${ranges.length} ranges of ${by}. The platform reported ${formatDocuments(total)} before the ranges were opened.`
    notes.push(note('info', text))
  }
  if (split?.kind === 'fallback') notes.push(note('warning', `Scrolled without partitions: ${split.reason}`))
  return notes
}

function attemptNotes(run: Run): StoryNote[] {
  return rangesOfRun(run).flatMap((range, index) => {
    const name = range.filter ? `Range ${index + 1} (${range.filter.where}): ` : ''
    return attemptTexts(range).map((text) => note('warning', `${name}${text}`))
  })
}

function attemptTexts({ attempt, cleanCounts, suspect, crashes }: RangeState): string[] {
  const texts: string[] = []
  if (attempt > 1) {
    const counts = cleanCounts.map(formatCount).join(' and ')
    const earlier =
      cleanCounts.length > 0
        ? `Earlier attempts that were not suspect found ${counts} unique documents.`
        : 'The earlier attempts did not finish, or may have lost a page.'
    texts.push(`Scrolled again from the first page: this is attempt ${attempt}. ${earlier}`)
  }
  if (suspect) texts.push(`The attempt is suspect. ${suspectText}`)
  if (crashes) {
    const workers = crashes.count === 1 ? 'A worker' : `${crashes.count} workers in a row`
    texts.push(`${workers} crashed after page ${crashes.page}.`)
  }
  return texts
}

const suspectText =
  "The outcome of a request is unknown, so a page may be missing. Only a count that equals the platform's total proves that the snapshot is complete."

/** A run that waits says since when and when it continues. Waits that are over are named if they took a minute. */
function waitNotes(run: Run, now: number): StoryNote[] {
  const waits = run.kind === 'increment' ? [] : (run.waits ?? [])
  // Version 1.0.0 stored no waits.
  if (run.status === 'waiting' && waits.length === 0) return [note('info', `Waiting: ${run.reason}`)]
  return waits.flatMap((wait, index) => {
    const isCurrent = run.status === 'waiting' && index === waits.length - 1
    if (isCurrent) return [note('info', waitText({ ...wait, givesUpAt: givesUpAt(run) }, now))]
    const ms = Date.parse(wait.to) - Date.parse(wait.from)
    return ms < minWaitMs ? [] : [note('info', `Waited ${formatDuration(ms)}: ${wait.reason}`)]
  })
}

const minWaitMs = 60_000

/** `Waiting for 3 min: All 5 slots are taken. Next try when a slot is free, in 7 min at the latest. Gives up in 4 d.` */
export function waitText(wait: RunWait & { readonly givesUpAt: string | null }, now: number): string {
  const left = Date.parse(wait.to) - now
  const next =
    wait.for === 'slot'
      ? `when a slot is free, in ${formatDuration(left)} at the latest`
      : `in ${formatDuration(left)}`
  const texts = [
    `Waiting for ${formatDuration(now - Date.parse(wait.from))}: ${wait.reason}`,
    left > 0 ? `Next try ${next}.` : 'Trying again.',
    wait.givesUpAt !== null && `Gives up in ${formatRoughDuration(Date.parse(wait.givesUpAt) - now)}.`,
  ]
  return texts.filter(Boolean).join(' ')
}

/** What a request without a page means, by the name under which the run counts it. */
const faultTexts: Readonly<Record<string, string>> = {
  '401': 'The platform rejected the credentials (401)',
  '403': 'The platform rejected the credentials (403)',
  '408': 'The platform gave up on a request (408)',
  '429': 'The platform throttled the request (429)',
  'not-sent': 'A request could not be sent in time',
  unreachable: 'The platform was unreachable',
  timeout: 'The platform did not respond in time',
  interrupted: 'The connection was interrupted',
  unreadable: 'A response broke the rules of HTTP and could not be read',
  ...intermediaryTexts,
  'too-large': 'A response was larger than Longshore accepts',
  'not-json': 'A response was cut off or was not a JSON array',
  other: 'A request failed without a known reason',
}

function faultNotes(run: Run): StoryNote[] {
  if (isReason(run)) return []
  return Object.entries(run.faults)
    .toSorted(([, one], [, other]) => other - one)
    .map(([fault, count]) => {
      const text = faultTexts[fault] ?? `The platform returned ${fault}`
      return note('info', `${text}${count === 1 ? '' : `, ${formatCount(count)} times`}.`)
    })
}

/** Whether the only kind of fault is what a failed run ended for, which its reason says. */
function isReason(run: Run): boolean {
  if (run.kind === 'increment' || run.status !== 'failed' || run.abandoned) return false
  return Object.keys(run.faults).length === 1 && (run.cause !== undefined || run.documents === 0)
}

function endNotes(run: Run): StoryNote[] {
  if (run.status === 'publishing')
    return [note('info', run.kind === 'increment' ? publishingSet : publishingSnapshot)]
  if (!hasEnded(run)) return []
  if (run.status !== 'published') return [unpublishedNote(run)]
  if (run.kind === 'increment') {
    const { from, to, records } = run.increment
    const found = records === 0 ? 'Found nothing new' : `Delivered ${plural(records, 'record')}`
    const window = `${found} in the window from ${from} to ${to}.`
    return [note('good', incrementProofTexts[run.proof]), note('good', window)]
  }
  const published = `Published ${formatDocuments(run.documents)} with ${formatCount(run.uniqueIds)} unique ids.`
  return [note('good', proofText(run)), note('good', published)]
}

const publishingSnapshot = 'The snapshot is complete and is being published.'
const publishingSet = 'The window was read completely, and its change set is being published.'

const incrementProofTexts = {
  exact: 'Proof: exact. The number of unique ids equals the total that the platform reported for the window.',
  'within-tolerance':
    'Proof: within tolerance. Two scrolls of the window found the same ids, short of the reported total by less than a page.',
  'no-total': 'Proof: no total. Two scrolls of the window found the same ids.',
} as const

function proofText(run: PublishedRun): string {
  if (run.kind === 'republication')
    return `Proof: ${run.proof}, as run ${run.republishedFrom} was proven. Its pages were copied and checked.`
  if (run.proof === 'within-tolerance' && run.split.kind === 'ranges') return approximateRangesText
  return proofTexts[run.proof]
}

const approximateRangesText =
  'Proof: within tolerance. The count of a range, or that of the ranges together, differs from its reported total by no more than totalTolerancePercent.'

const proofTexts = {
  exact: 'Proof: exact. The number of unique ids equals the total that the platform reported.',
  'within-tolerance':
    'Proof: within tolerance. The number of unique ids differs from the reported total by no more than totalTolerancePercent, and every request had a known outcome.',
  'no-total':
    'Proof: no total. The platform reported no total; the outcome of every request of the scroll is known.',
} as const

function acceptanceNotes(run: Run): StoryNote[] {
  const accepted = acceptanceOf(run)
  if (!accepted) return []
  const { by, refusedAt, acceptedAt, withChanges } = accepted
  const what = withChanges ? 'it with its change set' : 'it'
  const waited = formatDuration(Date.parse(acceptedAt) - Date.parse(refusedAt))
  const text = `A guard refused the snapshot. It waited ${waited} for a decision, and ${by} accepted ${what}.`
  return [note('info', text)]
}

const levels = { refused: 'problem', failed: 'problem', cancelled: 'warning', skipped: 'info' } as const

function unpublishedNote(run: Exclude<EndedRun | EndedIncrement, { status: 'published' }>): StoryNote {
  const { status, reason } = run
  const level = levels[status]
  if (status === 'skipped') return note(level, `Skipped: ${reason}`)
  if (run.kind === 'increment')
    return note(level, `${ends[status]}: ${reason} Nothing is lost: the next increment covers its window.`)
  if (status !== 'refused') {
    const fix = status === 'failed' ? knownFix(run) : undefined
    return note(level, [`${ends[status]}: ${reason}`, fix?.action, unchanged].filter(Boolean).join(' '))
  }
  const why = run.accepted ? `${run.accepted.by} accepted it, but it could not be published: ${reason} ` : ''
  return note(level, `A guard refused the snapshot. ${why}${unchanged}`)
}

const unchanged = 'The published snapshot has not changed.'
const ends = { refused: 'Refused', failed: 'Failed', cancelled: 'Cancelled' } as const

function abandonedNotes(run: Run): StoryNote[] {
  if (!hasEnded(run) || !run.abandoned) return []
  return [note('warning', 'The worker of this run disappeared. The next run of the entity closed this one.')]
}
