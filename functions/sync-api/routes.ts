/** The routes that start, watch and cancel syncs. The API's routes, dispatch and descriptions are made from this. */
export interface SyncRoute {
  readonly name: 'start-sync' | 'list-syncs' | 'read-sync' | 'read-run' | 'cancel-run' | 'read-snapshot'
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** What a caller's token must grant when the API is set up for JWT. */
  readonly scope: 'syncs:read' | 'syncs:run'
}

export const syncRoutes: readonly SyncRoute[] = [
  { name: 'list-syncs', method: 'GET', path: '/syncs', scope: 'syncs:read' },
  { name: 'read-sync', method: 'GET', path: '/syncs/{entity}', scope: 'syncs:read' },
  { name: 'start-sync', method: 'POST', path: '/syncs/{entity}', scope: 'syncs:run' },
  { name: 'read-run', method: 'GET', path: '/syncs/{entity}/runs/{runId}', scope: 'syncs:read' },
  { name: 'cancel-run', method: 'DELETE', path: '/syncs/{entity}/runs/{runId}', scope: 'syncs:run' },
  { name: 'read-snapshot', method: 'GET', path: '/syncs/{entity}/snapshot', scope: 'syncs:read' },
]
