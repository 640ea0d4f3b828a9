import { formatCount, formatDocuments } from '../../../functions/runtime/format.ts'
import type { RangeState } from '../../../functions/state/run/range.ts'
import { type Run, rangesOfRun } from '../../../functions/state/run/run.ts'
import type { StoryLine } from '../../contract/run.ts'

/** What happened in a run, in sentences, in the order in which a reader needs it. */
export function storyOf(run: Run): StoryLine[] {
  return [...startLines(run), ...attemptLines(run), ...faultLines(run), ...endLines(run)]
}

const line = (level: StoryLine['level'], text: string): StoryLine => ({ level, text })

function startLines(run: Run): StoryLine[] {
  const lines: StoryLine[] = []
  if (run.kind !== 'full') return lines
  const { acceptShrink, split } = run
  if (acceptShrink) lines.push(line('info', 'Started with “accept shrink”: the shrink guard does not apply.'))
  if (split.kind === 'ranges') {
    const { ranges, by, total } = split
    const text = `Scrolled in ${ranges.length} ranges of ${by}. The platform reported ${formatDocuments(total)} before the ranges were opened.`
    lines.push(line('info', text))
  }
  if (split.kind === 'fallback') {
    lines.push(line('warning', `Scrolled without partitions: ${split.reason}`))
  }
  return lines
}

function attemptLines(run: Run): StoryLine[] {
  return rangesOfRun(run).flatMap((range, index) => {
    const name = range.filter ? `Range ${index + 1} (${range.filter.where}): ` : ''
    return attemptTexts(range).map((text) => line('warning', `${name}${text}`))
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
  'The outcome of a request is unknown, so a page may be missing. Only a count that equals the platform’s total proves that the snapshot is complete.'

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
  firewall: 'A firewall responded instead of the platform',
  cache: 'A cache responded with an old response instead of the platform',
  'too-large': 'A response was larger than Longshore accepts',
  'not-json': 'A response was cut off or was not JSON',
  other: 'A request failed without a known reason',
}

function faultLines({ faults }: Run): StoryLine[] {
  return Object.entries(faults)
    .toSorted(([, one], [, other]) => other - one)
    .map(([fault, count]) => {
      const text = faultTexts[fault] ?? `The platform returned ${fault}`
      return line('info', `${text}: ${count === 1 ? 'once' : `${formatCount(count)} times`}.`)
    })
}

const proofTexts = {
  exact: 'Proof: exact. The number of unique ids equals the total that the platform reported.',
  'within-tolerance':
    'Proof: within tolerance. The number of unique ids differs from the reported total by no more than totalTolerancePercent, and every request had a known outcome.',
  'no-total':
    'Proof: no total. The platform reported no total; the outcome of every request of the scroll is known.',
} as const

function endLines(run: Run): StoryLine[] {
  switch (run.status) {
    case 'running':
      return []
    case 'waiting':
      return [line('info', `Waiting: ${run.reason}`)]
    case 'publishing':
      return [line('info', 'The snapshot is complete and is being published.')]
    case 'published':
      return [
        line('good', proofTexts[run.proof]),
        line(
          'good',
          `Published ${formatDocuments(run.documents)} with ${formatCount(run.uniqueIds)} unique ids.`,
        ),
        ...abandonedLines(run),
      ]
    case 'refused':
      return [line('problem', 'A guard refused the snapshot. The published snapshot has not changed.')]
    case 'failed':
      return [
        line('problem', `Failed: ${run.reason} The published snapshot has not changed.`),
        ...abandonedLines(run),
      ]
    case 'cancelled':
      return [line('warning', `Cancelled: ${run.reason} The published snapshot has not changed.`)]
    case 'skipped':
      return [line('info', `Skipped: ${run.reason}`)]
  }
}

function abandonedLines({ abandoned }: { readonly abandoned: boolean }): StoryLine[] {
  if (!abandoned) return []
  return [line('warning', 'The worker of this run disappeared. The next run of the entity closed this one.')]
}
