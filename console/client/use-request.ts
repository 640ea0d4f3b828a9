import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { useConnection } from './connection.tsx'
import { failedState, notRequested, type RequestState, stateOf } from './model/request-state.ts'
import { startPolling } from './polling.ts'
import { getJson, type RequestError } from './request.ts'

const maxResponses = 50

const responses = new Map<string, unknown>()

/** The last responses by path, for pages that are opened again while the server cannot be reached. */
const knownResponses = {
  get: <T>(path: string) => responses.get(path) as T | undefined,

  set(path: string, data: unknown): void {
    responses.delete(path)
    responses.set(path, data)
    const [oldest] = responses.keys()
    if (responses.size > maxResponses && oldest !== undefined) responses.delete(oldest)
  },
}

/** Reads a path until a response arrives, and again when the version changes; null reads nothing. */
export function useRequest<T>(path: string | null, version = ''): RequestState<T> {
  const [state, setState] = useState<RequestState<T>>(notRequested)
  useEffect(() => {
    if (path === null) return undefined
    const read = (signal: AbortSignal) => getJson<T>(path, signal)
    const once = { read, intervalMs: () => null, isHidden: () => false }
    return startPolling<T>({ ...once, ...rememberedBy(path, setState) }).stop
  }, [path, version])
  const current = stateOf(state, path)
  useConnection(current)
  return current
}

/** Shows each response, and keeps it for when the page is opened again. */
const rememberedBy = <T>(
  path: string,
  setState: (next: (last: RequestState<T>) => RequestState<T>) => void,
) => ({
  onResponse(data: T): void {
    knownResponses.set(path, data)
    setState(() => ({ path, data, error: undefined }))
  },
  onFailure(error: RequestError): void {
    const known = knownResponses.get<T>(path)
    setState((last) => failedState(last, { path, error, known }))
  },
})

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
