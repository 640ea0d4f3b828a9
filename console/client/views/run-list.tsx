import { useState } from 'preact/hooks'
import type { RunRow } from '../../contract/run.ts'
import { ErrorNotice } from '../components/notice.tsx'
import { TableHead } from '../components/table.tsx'
import { StatusBadge, TextWithTimes, When } from '../components/time.tsx'
import { formatCount, formatDuration } from '../model/format.ts'
import { links } from '../model/route.ts'
import { durationMs, durationShare, faultCount, proofText } from '../model/run-facts.ts'
import type { Runs } from './use-runs.ts'

const columns: Parameters<typeof TableHead>[0]['columns'] = [
  ['Started'],
  ['Status'],
  ['Duration'],
  ['Documents', 'number'],
  ['Attempts', 'number from-medium'],
  ['Faults', 'number from-medium'],
  ['Proof', 'from-medium'],
]

/** The history of runs, the newest first, each with why it published nothing. A bar compares their durations. */
export function RunList({ runs: { runs, isLoaded, error, loadOlder }, now }: { runs: Runs; now: string }) {
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      {error && <ErrorNotice error={error} />}
      {isLoaded && runs.length === 0 && (
        <p class="empty">No run in the last 30 days. Start a sync, or wait for the schedule.</p>
      )}
      {runs.length > 0 && (
        <table class="runs">
          <TableHead columns={columns} />
          <tbody>
            {runs.map((run) => (
              <Row key={run.runId} run={run} share={durationShare(run, runs, now)} now={now} />
            ))}
          </tbody>
        </table>
      )}
      {loadOlder && <OlderButton loadOlder={loadOlder} />}
    </section>
  )
}

function OlderButton({ loadOlder }: { loadOlder: () => Promise<void> }) {
  const [isLoading, setLoading] = useState(false)
  const load = async () => {
    setLoading(true)
    await loadOlder()
    setLoading(false)
  }
  return (
    <button type="button" class="older" disabled={isLoading} onClick={() => void load()}>
      {isLoading ? 'Loading…' : 'Show older runs'}
    </button>
  )
}

function Row({ run, share, now }: { run: RunRow; share: number; now: string }) {
  const { entity, runId, startedAt, status, documents, attempt, reason } = run
  const faults = faultCount(run)
  return (
    <>
      <tr class={reason === null ? '' : 'with-reason'}>
        <th scope="row">
          <a href={links.run(entity, runId)}>
            <When time={startedAt} now={now} />
          </a>
        </th>
        <td>
          <StatusBadge status={status} />
        </td>
        <td>
          <span class="duration">
            <span>{formatDuration(durationMs(run, now))}</span>
            <progress max={100} value={share} aria-hidden="true" />
          </span>
        </td>
        <td class="number">{formatCount(documents)}</td>
        <td class="number from-medium">{attempt}</td>
        <td class="number from-medium">{faults === 0 ? '–' : formatCount(faults)}</td>
        <td class="from-medium">{proofText(run)}</td>
      </tr>
      {reason !== null && (
        <tr class="reason">
          <td colSpan={columns.length}>
            <TextWithTimes text={reason} />
          </td>
        </tr>
      )}
    </>
  )
}
