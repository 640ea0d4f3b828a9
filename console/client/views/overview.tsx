import { useState } from 'preact/hooks'
import type { EntityRow, OverviewResponse } from '../../contract/overview.ts'
import { NameFilter } from '../components/name-filter.tsx'
import { ErrorNotice, Loading, Notice } from '../components/notice.tsx'
import { Pager } from '../components/pager.tsx'
import { RunProgress } from '../components/run-progress.tsx'
import { useConnection } from '../connection.tsx'
import { isFilterUseful, matchingEntities, summaryOf } from '../model/entity-summary.ts'
import { plural } from '../model/format.ts'
import { overviewIntervalMs } from '../model/intervals.ts'
import { pageOf } from '../model/paging.ts'
import { links } from '../model/route.ts'
import { usePoll } from '../use-poll.ts'
import { EntityTable } from './entity-table.tsx'
import { Health } from './health.tsx'
import { Problems } from './problems.tsx'

export function Overview() {
  const { data, error } = usePoll<OverviewResponse>('/overview', overviewIntervalMs)
  useConnection(error)
  if (!data) return error ? <ErrorNotice error={error} /> : <Loading />
  const { name, place, entities, problems, now } = data
  return (
    <>
      <h1>{name}</h1>
      <p class="subtitle">{place}</p>
      <Problems items={problems} now={now} />
      <Summary entities={entities} />
      <Running entities={entities} />
      <Entities data={data} />
      <Health />
    </>
  )
}

const Summary = ({ entities }: { entities: readonly EntityRow[] }) => (
  <ul class="tiles" aria-label="Summary">
    {summaryOf(entities).map(({ label, value, tone }) => (
      <li key={label} class={tone}>
        <strong>{value}</strong> {label}
      </li>
    ))}
  </ul>
)

function Running({ entities }: { entities: readonly EntityRow[] }) {
  const runs = entities.flatMap(({ running }) => running ?? [])
  if (runs.length === 0) return null
  return (
    <section aria-labelledby="running">
      <h2 id="running">Running now</h2>
      <ul class="cards">
        {runs.map((run) => (
          <li key={run.runId} class="card">
            <h3>
              <a href={links.run(run.entity, run.runId)}>{run.entity}</a>
            </h3>
            <RunProgress run={run} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const rowsPerPage = 50

function Entities({ data: { entities, now } }: { data: OverviewResponse }) {
  const [filter, setFilter] = useState('')
  const [page, setPage] = useState(0)
  const matching = matchingEntities(entities, filter)
  const { shown, pages, items } = pageOf(matching, page, rowsPerPage)
  const hasFilter = isFilterUseful(entities)
  return (
    <section aria-labelledby="entities">
      <div class="section-head">
        <h2 id="entities">Entities</h2>
        {hasFilter && <NameFilter value={filter} onChange={setFilter} />}
      </div>
      {entities.length === 0 ? (
        <Notice tone="info" title="No entity is configured.">
          <p>Add one to `entities` in longshore.config.ts and deploy.</p>
        </Notice>
      ) : (
        <EntityTable rows={items} now={now} />
      )}
      {entities.length > 0 && matching.length === 0 && <p class="empty">No entity matches this filter.</p>}
      {hasFilter && <p class="facts">{plural(matching.length, 'entity', 'entities')}</p>}
      <Pager label="Pages of entities" page={shown} pages={pages} onChange={setPage} />
    </section>
  )
}
