import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { type ConnectionState, connectionStateOf, connectionTexts } from './model/connection-state.ts'
import type { RequestError } from './request.ts'

/** Views report here how their last request went. */
export const Connection = createContext<(error: RequestError | undefined) => void>(() => {})

export function useConnectionState() {
  const [state, setState] = useState<ConnectionState>('connected')
  const report = useCallback((error: RequestError | undefined) => setState(connectionStateOf(error)), [])
  return { state, report }
}

/** Shows lost connections in one place, for the request that determines the view. */
export function useConnection(error: RequestError | undefined): void {
  const report = useContext(Connection)
  useEffect(() => report(error), [error, report])
}

export const ConnectionBanner = ({ state }: { state: ConnectionState }) => (
  <div class="banner" role="status">
    {state === 'connected' ? null : <p>{connectionTexts[state]}</p>}
  </div>
)
