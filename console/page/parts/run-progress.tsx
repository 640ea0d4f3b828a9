import type { RangeRow, RunRow } from '../../contract.ts'
import { useRunAnnouncements } from '../announcer.tsx'
import { formatCount, formatDuration, pagesPerSecond, plural } from '../model/format.ts'

/** A run in progress: its bar, speed and time left, and a small bar for each range. */
export function RunProgress({ run }: { run: RunRow }) {
  useRunAnnouncements(run)
  const { entity, documents, total, percent, status, reason, attempt, secondsLeft, partitions } = run
  const speed = pagesPerSecond(run)
  const facts = [
    total === null
      ? plural(documents, 'document')
      : `${formatCount(documents)} of ${plural(total, 'document')}`,
    speed !== null && `${speed} pages/s`,
    secondsLeft !== null && status === 'running' && `${formatDuration(secondsLeft * 1000)} left`,
    attempt > 1 && `attempt ${attempt}`,
  ].filter(Boolean)
  return (
    <div class="run-progress">
      <Bar label={`Progress of ${entity}`} percent={percent} />
      <p class="facts">{facts.join(' · ')}</p>
      {status === 'waiting' && <p class="facts">Waiting: {reason}</p>}
      {partitions && (
        <ol class="ranges" aria-label={`Ranges of ${entity}`}>
          {partitions.map((range, index) => (
            <li key={range.where} title={range.where}>
              <Bar label={`Range ${index + 1}`} percent={percentOf(range)} />
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

/** Without a percentage the end is not known yet. */
const Bar = ({ label, percent }: { label: string; percent: number | null }) => (
  <span class="bar">
    {percent === null ? (
      <progress aria-label={label} max={100} />
    ) : (
      <progress aria-label={label} max={100} value={percent} />
    )}
    <span class="percent" aria-hidden="true">
      {percent === null ? '' : `${percent}%`}
    </span>
  </span>
)

function percentOf({ documents, total }: RangeRow): number | null {
  if (total === null) return null
  return total === 0 ? 100 : Math.min(100, Math.floor((documents * 100) / total))
}
