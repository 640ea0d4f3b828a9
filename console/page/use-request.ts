import { useEffect, useState } from 'preact/hooks'
import { getJson, type RequestError, Unreachable } from './request.ts'

export interface Requested<T> {
  readonly data: T | undefined
  readonly error: RequestError | undefined
}

const retryMs = 3_000

/** Reads a path until it is answered; null reads nothing. For what does not change, such as a snapshot. */
export function useRequest<T>(path: string | null): Requested<T> {
  const [state, setState] = useState<Requested<T> & { path: string | null }>(nothing)
  const [attempt, setAttempt] = useState(1)

  useEffect(() => {
    if (path === null) return undefined
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    getJson<T>(path, controller.signal).then(
      (data) => setState({ path, data, error: undefined }),
      (error: RequestError) => {
        if (controller.signal.aborted) return
        setState({ path, data: undefined, error })
        if (error instanceof Unreachable) timer = setTimeout(() => setAttempt(attempt + 1), retryMs)
      },
    )
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [path, attempt])

  return state.path === path ? state : nothing
}

const nothing = { path: null, data: undefined, error: undefined }
