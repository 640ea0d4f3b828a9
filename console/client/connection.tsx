import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import { type ConnectionState, connectionStateOf, isShownAbove } from './model/connection-state.ts'
import type { RequestState } from './model/request-state.ts'
import type { RequestError } from './request.ts'

/** Requests report here how they went, each under a key of its own. */
export const Connection = createContext<(key: object, error: RequestError | undefined) => void>(() => {})

export function useConnectionState() {
  const [failures, setFailures] = useState<ReadonlyMap<object, RequestError>>(new Map())
  const report = useCallback((key: object, error: RequestError | undefined) => {
    setFailures((before) => {
      const others = [...before].filter(([other]) => other !== key)
      return others.length === before.size && !error
        ? before
        : new Map(error ? [...others, [key, error]] : others)
    })
  }, [])
  return { state: connectionStateOf([...failures.values()]), report }
}

/** Shows in one place that what is shown of a request may be out of date. */
export function useConnection({ data, error }: Pick<RequestState<unknown>, 'data' | 'error'>): void {
  const report = useContext(Connection)
  const { current: key } = useRef({})
  const failure = error && isShownAbove(error, data !== undefined) ? error : undefined
  useEffect(() => report(key, failure), [failure, report])
  useEffect(() => () => report(key, undefined), [report])
}

export const ConnectionBanner = ({ state: { text } }: { state: ConnectionState }) => (
  <div class="banner" role="status">
    {text && <p>{text}</p>}
  </div>
)
