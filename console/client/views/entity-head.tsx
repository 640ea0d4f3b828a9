import type { EntityResponse, EntityRow } from '../../contract/overview.ts'
import { ActionButton } from '../components/action-button.tsx'
import type { ActionTarget } from '../model/actions.ts'
import { publishedVersion } from '../model/entity-summary.ts'
import { entityIntervalMs } from '../model/intervals.ts'
import type { RequestState } from '../model/request-state.ts'
import { links } from '../model/route.ts'
import { api } from '../request.ts'
import { type Polled, usePoll, useRequest } from '../use-request.ts'
import { Problems } from './problems.tsx'

export const useEntity = (entity: string) =>
  usePoll<EntityResponse>(api`/entities/${entity}`, entityIntervalMs)

/** Reads something of an entity again when a snapshot or a change set of it has been published. */
export function useEntityRequest<T>(polled: Polled<EntityResponse>, path: string): RequestState<T> {
  const version = polled.data && publishedVersion(polled.data)
  const read = useRequest<T>(version === undefined ? null : path, version)
  return { ...read, error: read.error ?? (read.data ? undefined : polled.error) }
}

interface EntityHeadProps {
  readonly entity: string
  readonly title: string
  readonly current: Parameters<typeof EntityTabs>[0]['current']
  readonly polled: Polled<EntityResponse>
}

/** What each view of an entity begins with: what can be done with it, its other views, and its problems. */
export const EntityHead = ({ entity, title, current, polled: { data, refresh } }: EntityHeadProps) => (
  <>
    <div class="section-head">
      <h1>{title}</h1>
      {data && <Actions entity={entity} row={data.row} now={data.now} onDone={refresh} />}
    </div>
    <EntityTabs entity={entity} current={current} />
    {/* The view of runs shows them between its facts and the run in progress, also that there are none. */}
    {current !== 'Runs' && data && data.row.problems.length > 0 && (
      <Problems items={data.row.problems} now={data.now} />
    )}
  </>
)

interface ActionsProps {
  readonly entity: string
  readonly row: EntityRow
  readonly now: string
  readonly onDone: () => void
}

function Actions({ entity, row: { running, increments, enabled, next }, now, onDone }: ActionsProps) {
  const target: ActionTarget = { entity, runningRunId: running?.runId, now }
  const props = { target, onDone }
  return (
    <div class="actions">
      <ActionButton name="start" {...props} />
      {increments !== null && <ActionButton name="increment" {...props} />}
      <ActionButton name="cancel" {...props} />
      {enabled && <ActionButton name={next.kind === 'paused' ? 'resume' : 'pause'} {...props} />}
    </div>
  )
}

const tabs = [
  { name: 'Runs', href: links.entity },
  { name: 'Snapshots', href: links.snapshots },
  { name: 'Changes', href: links.changes },
  { name: 'Schema', href: links.schema },
] as const

const EntityTabs = ({ entity, current }: { entity: string; current: (typeof tabs)[number]['name'] }) => (
  <nav class="tabs" aria-label={`Views of ${entity}`}>
    {tabs.map(({ name, href }) => (
      <a key={name} href={href(entity)} aria-current={name === current ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
)
