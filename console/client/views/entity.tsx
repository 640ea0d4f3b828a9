import { useState } from 'preact/hooks'
import type { EntityResponse, EntityRow } from '../../contract/overview.ts'
import type { RunRow } from '../../contract/run.ts'
import { ShortTime, SnapshotState, StatusBadge, TextWithTimes, When } from '../components/inline.tsx'
import { ErrorNotice, Pending } from '../components/notice.tsx'
import { Plot } from '../components/plot.tsx'
import { RunProgress } from '../components/run-progress.tsx'
import { FactsGrid, TableHead } from '../components/table.tsx'
import { Terms } from '../components/term.tsx'
import { changesText, nextRunLabel, scheduleText, shownRun } from '../model/entity-summary.ts'
import { formatCount, formatDuration } from '../model/format.ts'
import { entityPlots } from '../model/plotted-runs.ts'
import { links } from '../model/route.ts'
import { durationMs, durationShare, faultCount, proofText } from '../model/run-facts.ts'
import { snapshotBadge } from '../model/tones.ts'
import { EntityHead, useEntity } from './entity-head.tsx'
import { Problems } from './problems.tsx'
import { type Runs, useRuns } from './use-runs.ts'

export function EntityPage({ entity }: { entity: string }) {
  const polled = useEntity(entity)
  const { data, error } = polled
  const runs = useRuns(entity, (data && shownRun(data.row)) ?? undefined)
  if (!data) return <Pending title={entity} error={error} />
  const { row, now } = data
  return (
    <>
      <EntityHead entity={entity} title={entity} current="Runs" polled={polled} />
      <Facts data={data} />
      <div class="present">
        <Problems items={row.problems} now={now} />
        <Now data={data} />
      </div>
      <EntityPlots runs={runs.runs} />
      <RunList runs={runs} now={now} />
    </>
  )
}

function Facts({ data: { row, now } }: { data: EntityResponse }) {
  const { snapshot, proof, changes, increments } = row
  return (
    <FactsGrid
      facts={[
        ['Snapshot', <SnapshotState key="snapshot" state={snapshotBadge(row)} />],
        ['Published', snapshot ? <ShortTime key="published" time={snapshot.publishedAt} /> : 'never'],
        ['Documents', snapshot ? formatCount(snapshot.documents) : '–'],
        ['Proof', <Terms key="proof" text={proof ?? '–'} />],
        ['Last change set', changesText(changes)],
        ['Schedule', scheduleText(row)],
        ['Next run', nextRunLabel(row.next, now)],
        ...(increments ? incrementFacts(increments) : []),
      ]}
    />
  )
}

const incrementFacts = ({ window, recordsLastDay, last }: NonNullable<EntityRow['increments']>) => [
  ['Last increment', window ? <ShortTime key="window" time={window.to} /> : 'never'] as const,
  ['Delivered in 24 h', formatCount(recordsLastDay)] as const,
  ...(last?.reason ? [['Last increment ended', last.reason] as const] : []),
]

/** The run in progress. It keeps its height when a sync begins or ends. */
function Now({ data }: { data: EntityResponse }) {
  const { entity, running } = data.row
  return (
    <section class="running-slot" aria-labelledby="now">
      <h2 id="now">{running ? <a href={links.run(entity, running.runId)}>Running now</a> : 'Now'}</h2>
      {running ? (
        <div class="card">
          <RunProgress run={running} />
        </div>
      ) : (
        <p class="empty">No sync is running.</p>
      )}
    </section>
  )
}

/** Documents and duration of the loaded runs over time. */
const EntityPlots = ({ runs }: { runs: readonly RunRow[] }) => (
  <div class="plots">
    {entityPlots(runs).map((plot) => (
      <Plot key={plot.title} {...plot} />
    ))}
  </div>
)

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
function RunList({ runs: { runs, isLoaded, error, loadOlder }, now }: { runs: Runs; now: string }) {
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
