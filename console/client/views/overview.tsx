import { useState } from 'preact/hooks'
import type { EntityRow, OverviewResponse } from '../../contract/overview.ts'
import { NameFilter } from '../components/name-filter.tsx'
import { Notice, Pending } from '../components/notice.tsx'
import { Pager } from '../components/pager.tsx'
import { RunProgress } from '../components/run-progress.tsx'
import type { Show, Sorting } from '../model/entity-order.ts'
import { isFilterUseful, matchingEntities, sortedEntities, tilesOf } from '../model/entity-order.ts'
import { plural } from '../model/format.ts'
import { overviewIntervalMs } from '../model/intervals.ts'
import { pageOf } from '../model/paging.ts'
import { links } from '../model/route.ts'
import { runsInProgress } from '../model/runs-in-progress.ts'
import { usePoll } from '../use-request.ts'
import { EntityTable } from './entity-table.tsx'
import { Health } from './health.tsx'
import { Problems } from './problems.tsx'

interface Choices {
  readonly show: Show
  readonly name: string
  readonly sorting: Sorting
  readonly page: number
}

/** What a person has chosen stays chosen when they come back from another page. */
let lastChoices: Choices = { show: 'all', name: '', sorting: undefined, page: 0 }

export function Overview() {
  const { data, error, refresh } = usePoll<OverviewResponse>('/overview', overviewIntervalMs)
  const [choices, setChoices] = useState(lastChoices)
  if (!data) return <Pending title="Overview" error={error} />
  const { name, place, entities, problems, now } = data
  const choose = (changed: Partial<Choices>) => {
    lastChoices = { ...choices, page: 0, ...changed }
    setChoices(lastChoices)
  }
  return (
    <>
      <h1>{name}</h1>
      <p class="subtitle">{place}</p>
      <Problems items={problems} now={now} onDone={refresh} />
      <Tiles entities={entities} shown={choices.show} onChoose={(show) => choose({ show })} />
      <Running entities={entities} />
      <Entities data={data} choices={choices} choose={choose} />
      <Health />
    </>
  )
}

interface TilesProps {
  readonly entities: readonly EntityRow[]
  readonly shown: Show
  readonly onChoose: (show: Show) => void
}

/** Each number filters the list. */
const Tiles = ({ entities, shown, onChoose }: TilesProps) => (
  <ul class="tiles" aria-label="Summary">
    {tilesOf(entities).map(({ show, label, value, tone }) => (
      <li key={show}>
        <button
          type="button"
          class={tone}
          aria-pressed={show === shown}
          onClick={() => onChoose(show === shown ? 'all' : show)}
        >
          <strong>{value}</strong> {label}
        </button>
      </li>
    ))}
  </ul>
)

function Running({ entities }: { entities: readonly EntityRow[] }) {
  const { cards, lines } = runsInProgress(entities)
  if (cards.length === 0 && lines.length === 0) return null
  return (
    <section aria-labelledby="running">
      <h2 id="running">Running now</h2>
      <ul class="cards">
        {cards.map((run) => (
          <li key={run.runId} class="card">
            <h3>
              <a href={links.run(run.entity, run.runId)}>{run.entity}</a>
            </h3>
            <RunProgress run={run} />
          </li>
        ))}
      </ul>
      {lines.length > 0 && <p class="facts">{lines.join(' · ')}</p>}
    </section>
  )
}

const rowsPerPage = 50

interface EntitiesProps {
  readonly data: OverviewResponse
  readonly choices: Choices
  readonly choose: (changed: Partial<Choices>) => void
}

function Entities({ data: { entities, now }, choices, choose }: EntitiesProps) {
  const { show, name, sorting, page } = choices
  const matching = matchingEntities(entities, { show, name })
  const { shown, pages, items } = pageOf(sortedEntities(matching, sorting), page, rowsPerPage)
  const hasFilter = isFilterUseful(entities)
  return (
    <section aria-labelledby="entities">
      <div class="section-head">
        <h2 id="entities">Entities</h2>
        {hasFilter && <NameFilter value={name} onChange={(name) => choose({ name })} />}
      </div>
      {entities.length === 0 ? (
        <Notice tone="info" title="No entity is configured.">
          <p>Add one to `entities` in longshore.config.ts and deploy.</p>
        </Notice>
      ) : (
        <EntityTable rows={items} now={now} sorting={sorting} onSort={(sorting) => choose({ sorting })} />
      )}
      {entities.length > 0 && matching.length === 0 && <p class="empty">No entity matches this filter.</p>}
      {hasFilter && <p class="facts">{plural(matching.length, 'entity', 'entities')}</p>}
      <Pager label="Pages of entities" page={shown} pages={pages} onChange={(page) => choose({ page })} />
    </section>
  )
}
