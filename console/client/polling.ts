import { isFinal, retryMsAfter } from './model/request-state.ts'
import type { RequestError } from './request.ts'

export interface PollingOptions<T> {
  readonly read: (signal: AbortSignal) => Promise<T>
  /** The time until the next request, after a response or, without one, after a failure; null stops, unless the failure may pass. */
  readonly intervalMs: (data: T | undefined) => number | null
  readonly isHidden: () => boolean
  readonly onResponse: (data: T) => void
  readonly onFailure: (error: RequestError) => void
}

/** Reads again and again, some time after each response, until it is stopped. */
export function startPolling<T>({ read, intervalMs, isHidden, onResponse, onFailure }: PollingOptions<T>) {
  const controller = new AbortController()
  const { signal } = controller
  let timer: ReturnType<typeof setTimeout> | undefined
  let isAsking = false

  function plan(ms: number | null) {
    if (ms !== null && !isHidden()) timer = setTimeout(ask, ms)
  }

  /** Sends a request now, unless one is in progress. */
  function ask() {
    if (isAsking) return
    clearTimeout(timer)
    isAsking = true
    read(signal).then(
      (data) => {
        if (signal.aborted) return
        isAsking = false
        onResponse(data)
        plan(intervalMs(data))
      },
      (error: RequestError) => {
        if (signal.aborted) return
        isAsking = false
        onFailure(error)
        if (!isFinal(error)) plan(intervalMs(undefined) ?? retryMsAfter(error))
      },
    )
  }

  /** Sends a request at once when the page is shown, and none while it is hidden. */
  function visibilityChanged() {
    if (isHidden()) clearTimeout(timer)
    else ask()
  }

  function stop() {
    controller.abort()
    clearTimeout(timer)
  }

  ask()
  return { ask, visibilityChanged, stop }
}
