/** A route of the sync API. Dispatch, API Gateway's routes and the OpenAPI document are generated from this table. */
export interface SyncRoute {
  readonly name: SyncRouteName
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** The scope that a caller's token needs with JWT authorization. */
  readonly scope: 'syncs:read' | 'syncs:run'
  /** Query parameters; any other is refused. */
  readonly query: readonly string[]
}

export type SyncRouteName =
  | 'list-syncs'
  | 'read-sync'
  | 'start-sync'
  | 'read-run'
  | 'cancel-run'
  | 'accept-run'
  | 'read-snapshot'
  | 'read-changes'

const runPath = '/syncs/{entity}/runs/{runId}'

export const syncRoutes: readonly SyncRoute[] = [
  { name: 'list-syncs', method: 'GET', path: '/syncs', scope: 'syncs:read', query: [] },
  { name: 'read-sync', method: 'GET', path: '/syncs/{entity}', scope: 'syncs:read', query: [] },
  { name: 'start-sync', method: 'POST', path: '/syncs/{entity}', scope: 'syncs:run', query: [] },
  { name: 'read-run', method: 'GET', path: runPath, scope: 'syncs:read', query: [] },
  { name: 'cancel-run', method: 'DELETE', path: runPath, scope: 'syncs:run', query: [] },
  { name: 'accept-run', method: 'POST', path: `${runPath}/accept`, scope: 'syncs:run', query: [] },
  {
    name: 'read-snapshot',
    method: 'GET',
    path: '/syncs/{entity}/snapshot',
    scope: 'syncs:read',
    query: ['cursor'],
  },
  {
    name: 'read-changes',
    method: 'GET',
    path: '/syncs/{entity}/changes',
    scope: 'syncs:read',
    query: ['since', 'limit', 'cursor'],
  },
]
