import { useMemo } from 'preact/hooks'
import type { EntityRow } from '../../contract/overview.ts'
import { SnapshotState, StatusBadge } from '../components/inline.tsx'
import { Term } from '../components/term.tsx'
import { nextSorting, type SortColumn, type Sorting } from '../model/entity-order.ts'
import { changesText, nextRunLabel, scheduleText, shownRun } from '../model/entity-summary.ts'
import { ageText, formatCount, formatTime } from '../model/format.ts'
import { links } from '../model/route.ts'
import { height, sparklineOf, width } from '../model/sparkline-shape.ts'
import { snapshotBadge } from '../model/tones.ts'

interface EntityTableProps {
  readonly rows: readonly EntityRow[]
  readonly now: string
  readonly sorting: Sorting
  readonly onSort: (sorting: Sorting) => void
}

const columns: readonly (readonly [name: string, columnClass: string, sort?: SortColumn])[] = [
  ['Entity', '', 'entity'],
  ['Snapshot', '', 'snapshot'],
  ['Documents', 'number', 'documents'],
  ['Trend', 'from-wide'],
  ['Proof', 'from-wide'],
  ['Last change set', 'from-wide'],
  ['Last run', 'from-medium', 'run'],
  ['Schedule', 'from-wide'],
  ['Next run', 'from-medium', 'next'],
]

/** One line per entity. Narrow windows leave out columns that the entity's own view shows. */
export const EntityTable = ({ rows, now, sorting, onSort }: EntityTableProps) => (
  <table class="entities">
    <thead>
      <tr>
        {columns.map(([name, columnClass, column]) => (
          <th key={name} scope="col" class={columnClass} aria-sort={ariaSort(sorting, column)}>
            {column ? (
              <button type="button" class="sort" onClick={() => onSort(nextSorting(sorting, column))}>
                {name}
              </button>
            ) : (
              <Term word={name} />
            )}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <Row key={row.entity} cells={entityCells(row, now)} />
      ))}
    </tbody>
  </table>
)

function ariaSort(sorting: Sorting, column: SortColumn | undefined) {
  if (!sorting || sorting.column !== column) return undefined
  return sorting.isDescending ? 'descending' : 'ascending'
}

/** Drawn again only when a text has changed: the page reads all entities every second while a sync is running. */
const Row = ({ cells }: { cells: EntityCells }) =>
  useMemo(() => <Cells cells={cells} />, [JSON.stringify(cells)])

const Cells = ({
  cells: { entity, badge, documents, trend, proof, changes, run, schedule, next },
}: {
  cells: EntityCells
}) => (
  <tr>
    <th scope="row">
      <a href={links.entity(entity)} title={entity}>
        {entity}
      </a>
    </th>
    <td title={`${badge.text} ${badge.age}`}>
      <SnapshotState state={badge} />
    </td>
    <td class="number">{documents}</td>
    <td class="from-wide">
      <Sparkline values={trend} label="Documents" />
    </td>
    <td class="from-wide" title={proof}>
      {proof}
    </td>
    <td class="from-wide" title={changes}>
      {changes}
    </td>
    <td class="from-medium">
      {run ? (
        <a href={links.run(entity, run.runId)} class="plain">
          <StatusBadge status={run.status} />{' '}
          <time dateTime={run.startedAt} title={formatTime(run.startedAt)} class="facts">
            {run.age}
          </time>
        </a>
      ) : (
        '–'
      )}
    </td>
    <td class="from-wide" title={schedule}>
      {schedule}
    </td>
    <td class="from-medium">
      {next.at === null ? (
        <span title={next.text}>{next.text}</span>
      ) : (
        <time dateTime={next.at} title={formatTime(next.at)}>
          {next.text}
        </time>
      )}
    </td>
  </tr>
)

/** What the row of an entity shows: texts, which change less often than what they are made from. */
type EntityCells = ReturnType<typeof entityCells>

function entityCells(row: EntityRow, now: string) {
  const { entity, snapshot, trend, proof, changes, next } = row
  const run = shownRun(row)
  return {
    entity,
    badge: snapshotBadge(row),
    documents: snapshot ? formatCount(snapshot.documents) : '–',
    trend,
    proof: proof ?? '–',
    changes: changesText(changes),
    run: run && {
      runId: run.runId,
      status: run.status,
      startedAt: run.startedAt,
      age: ageText(run.startedAt, now),
    },
    schedule: scheduleText(row),
    next: { text: nextRunLabel(next, now), at: next.kind === 'run' ? next.at : null },
  }
}

/** A small line without axes. Its label gives the first and the last value. */
function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const line = sparklineOf(values)
  if (!line) return <span class="sparkline" />
  const { points, end, text } = line
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={`${label}: ${text}`}
    >
      <polyline points={points.map((point) => point.join(',')).join(' ')} />
      <circle cx={end[0]} cy={end[1]} r="2" />
    </svg>
  )
}
