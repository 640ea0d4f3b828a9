import { formatCount, formatRoughDuration } from '../../functions/runtime/format.ts'
import type { RunView } from '../../stored/views.ts'
import type { ProgressBar, Remark } from '../text/progress.ts'

type Watched = Pick<
  RunView,
  | 'entity'
  | 'status'
  | 'reason'
  | 'documents'
  | 'total'
  | 'attempt'
  | 'documentsPerSecond'
  | 'secondsLeft'
  | 'partitions'
  | 'partitionsReason'
>

/** One bar for the whole run and, if it scrolls in ranges, one for each of them. */
export function runBars(run: Watched): ProgressBar[] {
  const { entity, documents, total, partitions } = run
  const whole = { title: entity, done: documents, total, remark: remarkOn(run) }
  if (!partitions) return [whole]
  const ranges = partitions.map(
    ({ where, documents: done, total: ofRange, attempt }, index): ProgressBar => ({
      title: `${entity} range ${index + 1}`,
      done,
      total: ofRange,
      remark: { state: attempt > 1 ? `attempt ${attempt}` : '', pace: where },
    }),
  )
  return [whole, ...ranges]
}

/** The text after the bar. */
function remarkOn(run: Watched): Remark {
  const { status, reason, attempt, documentsPerSecond, secondsLeft, partitionsReason } = run
  const state = [
    attempt > 1 && `attempt ${attempt}`,
    partitionsReason !== null && 'without partitions',
    status !== 'running' && status,
    status === 'waiting' && reason,
  ]
  const pace = [
    documentsPerSecond !== null && `${formatCount(Math.round(documentsPerSecond))}/s`,
    secondsLeft !== null && `${formatRoughDuration(secondsLeft * 1000)} left`,
  ]
  const join = (parts: readonly (string | false | null)[]) => parts.filter(Boolean).join(', ')
  return { state: join(state), pace: status === 'running' ? join(pace) : '' }
}

/** Why a partitioned entity was scrolled without partitions; empty if it was not. */
export const partitionsRemark = ({ partitionsReason }: Pick<RunView, 'partitionsReason'>): string =>
  partitionsReason === null ? '' : `Scrolled without partitions: ${partitionsReason}`
