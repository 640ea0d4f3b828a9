import type { EntityRow, NextRun } from '../../contract/overview.ts'
import { Badge, StatusBadge } from '../components/badge.tsx'
import { Sparkline } from '../components/sparkline.tsx'
import { TableHead } from '../components/table-head.tsx'
import { ShortTime, When } from '../components/time.tsx'
import { changesText, nextText, scheduleText, shownRun } from '../model/entity-summary.ts'
import { formatCount } from '../model/format.ts'
import { links } from '../model/route.ts'
import { snapshotBadge } from '../model/tones.ts'

/** One row per entity. Narrow windows leave out columns that the entity's own view shows. */
export const EntityTable = ({ rows, now }: { rows: readonly EntityRow[]; now: string }) => (
  <table class="entities">
    <TableHead
      columns={[
        ['Entity'],
        ['Snapshot'],
        ['Documents', 'number'],
        ['Trend', 'from-medium'],
        ['Proof', 'from-wide'],
        ['Last change set', 'from-medium'],
        ['Last run', 'from-medium'],
        ['Schedule', 'from-wide'],
        ['Next run', 'from-medium'],
      ]}
    />
    <tbody>
      {rows.map((row) => (
        <Row key={row.entity} row={row} now={now} />
      ))}
    </tbody>
  </table>
)

function Row({ row, now }: { row: EntityRow; now: string }) {
  const { entity, snapshot, trend, proof, changes } = row
  const run = shownRun(row)
  return (
    <tr>
      <th scope="row">
        <a href={links.entity(entity)}>{entity}</a>
      </th>
      <td>
        <Badge {...snapshotBadge(row)} />
      </td>
      <td class="number">{snapshot ? formatCount(snapshot.documents) : '–'}</td>
      <td class="from-medium">
        <Sparkline values={trend} label="Documents" />
      </td>
      <td class="from-wide">{proof ?? '–'}</td>
      <td class="from-medium">{changesText(changes)}</td>
      <td class="from-medium">
        {run ? (
          <a href={links.run(entity, run.runId)} class="plain">
            <StatusBadge status={run.status} /> <When time={run.startedAt} now={now} />
          </a>
        ) : (
          '–'
        )}
      </td>
      <td class={`from-wide ${row.schedule.startsWith('rate(') ? 'unbroken' : ''}`}>{scheduleText(row)}</td>
      <td class="from-medium">
        <NextTime next={row.next} now={now} />
      </td>
    </tr>
  )
}

/** When the schedule starts the next run: the time of the local clock, and how long until then. */
const NextTime = ({ next, now }: { next: NextRun; now: string }) =>
  next.kind === 'run' ? (
    <span class="when">
      <ShortTime time={next.at} /> <span class="facts">{nextText(next, now)}</span>
    </span>
  ) : (
    nextText(next, now)
  )
