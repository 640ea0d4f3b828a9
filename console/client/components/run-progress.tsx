import type { RunRow } from '../../contract/run.ts'
import { useRunAnnouncements } from '../announcer.tsx'
import { progressFacts, rangeBars, waitingText } from '../model/run-facts.ts'

/** A run in progress: its bar, speed and time left, and a small bar for each range. */
export function RunProgress({ run }: { run: RunRow }) {
  useRunAnnouncements(run)
  const { entity, percent, partitions } = run
  const waiting = waitingText(run)
  return (
    <div class="run-progress">
      <Bar label={`Progress of ${entity}`} percent={percent} />
      <p class="facts">
        {progressFacts(run).map((fact, index) => (
          <>
            {index > 0 && ' · '}
            <span key={fact} class="unbroken">
              {fact}
            </span>
          </>
        ))}
      </p>
      {waiting && <p class="facts">{waiting}</p>}
      {partitions && (
        <ol class="ranges" aria-label={`Ranges of ${entity}`}>
          {rangeBars(partitions).map(({ label, where, percent }) => (
            <li key={where} title={where}>
              <Bar label={label} percent={percent} />
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
