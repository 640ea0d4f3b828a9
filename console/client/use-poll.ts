import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { useConnection } from './connection.tsx'
import { notRequested, type RequestState, stateOf } from './model/request-state.ts'
import { startPolling } from './polling.ts'
import { getJson } from './request.ts'
import { rememberedBy } from './use-request.ts'

export interface Polled<T> extends Pick<RequestState<T>, 'data' | 'error'> {
  /** Sends the next request now. */
  readonly refresh: () => void
}

/** Makes what reads a path, and may remember what it has read. */
type Reader<T> = (path: string) => (signal: AbortSignal) => Promise<T>
const getAll = (path: string) => (signal: AbortSignal) => getJson<never>(path, signal)

/** Reads a path again and again, `intervalMs` after each response; null stops. A hidden tab sends no requests. */
export function usePoll<T>(
  path: string,
  intervalMs: (data: T | undefined) => number | null,
  reader: Reader<T> = getAll,
): Polled<T> {
  const [state, setState] = useState<RequestState<T>>(notRequested)
  const refresh = useRef(() => {})
  const interval = useRef(intervalMs)
  interval.current = intervalMs

  useEffect(() => {
    const { ask, visibilityChanged, stop } = startPolling<T>({
      read: reader(path),
      intervalMs: (data) => interval.current(data),
      isHidden: () => document.hidden,
      ...rememberedBy(path, setState),
    })
    refresh.current = ask
    document.addEventListener('visibilitychange', visibilityChanged)
    window.addEventListener('online', visibilityChanged)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', visibilityChanged)
      window.removeEventListener('online', visibilityChanged)
    }
  }, [path])

  const current = stateOf(state, path)
  useConnection(current)
  return { ...current, refresh: useCallback(() => refresh.current(), []) }
}
