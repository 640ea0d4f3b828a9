import type { SetRow } from '../../contract/change-sets.ts'
import type { EntityResponse, EntityRow, IncrementsRow } from '../../contract/overview.ts'
import type { RunRow } from '../../contract/run-rows.ts'
import { ActionButton } from '../components/action-button.tsx'
import { Badge } from '../components/badge.tsx'
import { EntityTabs } from '../components/entity-tabs.tsx'
import { FactsGrid } from '../components/facts-grid.tsx'
import { Pending } from '../components/notice.tsx'
import { Plot } from '../components/plot.tsx'
import { RunProgress } from '../components/run-progress.tsx'
import { ShortTime } from '../components/time.tsx'
import { useConnection } from '../connection.tsx'
import type { ActionTarget } from '../model/actions.ts'
import { changesText, nextText, scheduleText, shownRun } from '../model/entity-summary.ts'
import { formatCount } from '../model/format.ts'
import { entityIntervalMs } from '../model/intervals.ts'
import { entityPlots } from '../model/plotted-runs.ts'
import { links } from '../model/route.ts'
import { snapshotBadge } from '../model/tones.ts'
import { api } from '../request.ts'
import { usePoll } from '../use-poll.ts'
import { Problems } from './problems.tsx'
import { RunList } from './run-list.tsx'
import { useRuns } from './use-runs.ts'

export function EntityView({ entity }: { entity: string }) {
  const { data, error, refresh } = usePoll<EntityResponse>(api`/entities/${entity}`, entityIntervalMs)
  useConnection(error)
  const runs = useRuns(entity, (data && shownRun(data.row)) ?? undefined)
  if (!data) return <Pending title={entity} error={error} />
  const { row, now, sets } = data
  const target = { entity, runningRunId: row.running?.runId }
  return (
    <>
      <div class="section-head">
        <h1>{entity}</h1>
        <Actions target={target} row={row} onDone={refresh} />
      </div>
      <EntityTabs entity={entity} current="Runs" />
      <Facts data={data} />
      <div class="present">
        <Problems items={row.problems} now={now} />
        <Now data={data} />
      </div>
      <EntityPlots runs={runs.runs} sets={sets} />
      <RunList runs={runs} now={now} />
    </>
  )
}

interface ActionsProps {
  readonly target: ActionTarget
  readonly row: EntityRow
  readonly onDone: () => void
}

const Actions = ({ row: { increments, enabled, next }, ...props }: ActionsProps) => (
  <div class="actions">
    <ActionButton name="start" {...props} />
    {increments !== null && <ActionButton name="increment" {...props} />}
    <ActionButton name="cancel" {...props} />
    {enabled && <ActionButton name={next.kind === 'paused' ? 'resume' : 'pause'} {...props} />}
  </div>
)

function Facts({ data: { row, now } }: { data: EntityResponse }) {
  const { snapshot, proof, changes, increments } = row
  return (
    <FactsGrid
      facts={[
        ['Snapshot', <Badge key="snapshot" {...snapshotBadge(row)} />],
        ['Published', snapshot ? <ShortTime key="published" time={snapshot.publishedAt} /> : 'never'],
        ['Documents', snapshot ? formatCount(snapshot.documents) : '–'],
        ['Proof', proof ?? '–'],
        ['Last change set', changesText(changes)],
        ['Schedule', scheduleText(row)],
        ['Next run', nextText(row.next, now)],
        ...(increments ? incrementFacts(increments) : []),
      ]}
    />
  )
}

const incrementFacts = ({ windowEnd, recordsLastDay, reason }: IncrementsRow) => [
  ['Last increment', windowEnd ? <ShortTime key="window" time={windowEnd} /> : 'never'] as const,
  ['Delivered in the last day', formatCount(recordsLastDay)] as const,
  ...(reason === null ? [] : [['Why the last increment published nothing', reason] as const]),
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

/** Documents, duration and changes of the loaded runs over time. */
const EntityPlots = ({ runs, sets }: { runs: readonly RunRow[]; sets: readonly SetRow[] }) => (
  <div class="plots">
    {entityPlots(runs, sets).map((plot) => (
      <Plot key={plot.title} {...plot} />
    ))}
  </div>
)
