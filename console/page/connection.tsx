import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { type RequestError, RequestFailed, Unreachable } from './request.ts'

export type ConnectionState = 'connected' | 'lost' | 'ended'

/** Views report here how their last request went. */
export const Connection = createContext<(error: RequestError | undefined) => void>(() => {})

export function useConnectionState() {
  const [state, setState] = useState<ConnectionState>('connected')
  const report = useCallback((error: RequestError | undefined) => setState(stateOf(error)), [])
  return { state, report }
}

/** Shows lost connections in one place, for the request that decides about the view. */
export function useConnection(error: RequestError | undefined): void {
  const report = useContext(Connection)
  useEffect(() => report(error), [error, report])
}

function stateOf(error: RequestError | undefined): ConnectionState {
  if (error instanceof Unreachable) return 'lost'
  return error instanceof RequestFailed && error.status === 401 ? 'ended' : 'connected'
}

const texts = {
  lost: 'The console does not answer. What you see may be outdated. Trying again…',
  ended: 'The session has ended. Start the console again and open the URL that it prints.',
} as const

export const ConnectionBanner = ({ state }: { state: ConnectionState }) => (
  <div class="banner" role="status">
    {state === 'connected' ? null : <p>{texts[state]}</p>}
  </div>
)
