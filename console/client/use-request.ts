import { useEffect, useState } from 'preact/hooks'
import { useConnection } from './connection.tsx'
import { knownResponses } from './known-responses.ts'
import { failedState, notRequested, type RequestState, retryMsAfter, stateOf } from './model/request-state.ts'
import { getJson, type RequestError } from './request.ts'

/**
 * Reads a path until a response arrives; null reads nothing. For data that does not change, such as a page of a snapshot;
 * other data is read again when its version changes, and stays until then.
 */
export function useRequest<T>(path: string | null, version = ''): RequestState<T> {
  const [state, setState] = useState<RequestState<T>>(notRequested)
  const [attempt, setAttempt] = useState(1)

  useEffect(() => {
    if (path === null) return undefined
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    getJson<T>(path, controller.signal).then(
      (data) => {
        knownResponses.set(path, data)
        setState({ path, data, error: undefined })
      },
      (error: RequestError) => {
        if (controller.signal.aborted) return
        const known = knownResponses.get<T>(path)
        setState((last) => failedState(last, { path, error, known }))
        const ms = retryMsAfter(error)
        if (ms !== null) timer = setTimeout(() => setAttempt(attempt + 1), ms)
      },
    )
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [path, version, attempt])

  const current = stateOf(state, path)
  useConnection(current)
  return current
}
