import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { getJson, type RequestError, RequestFailed } from './request.ts'

export interface Polled<T> {
  /** The last answer; it stays while the server cannot be reached. */
  readonly data: T | undefined
  /** Why the last request failed; undefined if it succeeded. */
  readonly error: RequestError | undefined
  /** Asks again now. */
  readonly refresh: () => void
}

export const runningIntervalMs = 1_000
export const idleIntervalMs = 5_000

/**
 * Reads a path again and again, `intervalMs` after each answer; null stops. A hidden tab does not ask. A refusal for
 * lack of a session is final.
 */
export function usePoll<T>(path: string, intervalMs: (data: T | undefined) => number | null): Polled<T> {
  const [state, setState] = useState<{
    path: string
    data?: T | undefined
    error?: RequestError | undefined
  }>({
    path,
  })
  const refresh = useRef(() => {})
  const interval = useRef(intervalMs)
  interval.current = intervalMs

  useEffect(() => {
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isAsking = false

    const plan = (data: T | undefined) => {
      const ms = interval.current(data)
      clearTimeout(timer)
      if (ms !== null && !document.hidden && !controller.signal.aborted) timer = setTimeout(ask, ms)
    }
    async function ask() {
      if (isAsking || controller.signal.aborted) return
      clearTimeout(timer)
      isAsking = true
      try {
        const data = await getJson<T>(path, controller.signal)
        isAsking = false
        setState({ path, data })
        plan(data)
      } catch (error) {
        isAsking = false
        if (controller.signal.aborted) return
        setState((last) => ({
          path,
          data: last.path === path ? last.data : undefined,
          error: error as RequestError,
        }))
        const isFinal = error instanceof RequestFailed && error.status === 401
        if (!isFinal) plan(undefined)
      }
    }
    const onVisible = () => {
      if (document.hidden) clearTimeout(timer)
      else void ask()
    }
    refresh.current = () => void ask()
    document.addEventListener('visibilitychange', onVisible)
    window.addEventListener('online', onVisible)
    void ask()
    return () => {
      controller.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
      window.removeEventListener('online', onVisible)
    }
  }, [path])

  const isCurrent = state.path === path
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    refresh: useCallback(() => refresh.current(), []),
  }
}
