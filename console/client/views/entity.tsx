import type { EntityResponse, EntityRow } from '../../contract/overview.ts'
import type { RunRow } from '../../contract/run.ts'
import { Pending } from '../components/notice.tsx'
import { Plot } from '../components/plot.tsx'
import { RunProgress } from '../components/run-progress.tsx'
import { FactsGrid } from '../components/table.tsx'
import { Terms } from '../components/term.tsx'
import { ShortTime, SnapshotState } from '../components/time.tsx'
import { changesText, nextRunLabel, scheduleText, shownRun } from '../model/entity-summary.ts'
import { formatCount } from '../model/format.ts'
import { entityPlots } from '../model/plotted-runs.ts'
import { links } from '../model/route.ts'
import { snapshotBadge } from '../model/tones.ts'
import { EntityHead, useEntity } from './entity-head.tsx'
import { Problems } from './problems.tsx'
import { RunList } from './run-list.tsx'
import { useRuns } from './use-runs.ts'

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
