import { useEffect, useState } from 'preact/hooks'
import type { TimelineResponse } from '../../contract/timeline.ts'
import type { TimelineHours } from '../model/route.ts'
import { type TimelineState, timelineIntervalMs, withResponse } from '../model/timeline-bars.ts'
import { startPolling } from '../polling.ts'
import { getJson, type RequestError, withQuery } from '../request.ts'

/** The timeline as it changes: each request reads only the lanes that have changed since the last one. */
export function useTimeline(hours: TimelineHours) {
  const [data, setData] = useState<TimelineState>()
  const [error, setError] = useState<RequestError>()

  useEffect(() => {
    let known: TimelineState | undefined
    const { stop, visibilityChanged } = startPolling<TimelineState>({
      async read(signal) {
        const query = { hours: String(hours), after: String(known?.revision ?? 0) }
        return withResponse(known, await getJson<TimelineResponse>(withQuery('/timeline', query), signal))
      },
      intervalMs: timelineIntervalMs,
      isHidden: () => document.hidden,
      onResponse(state) {
        known = state
        setData(state)
        setError(undefined)
      },
      onFailure: setError,
    })
    document.addEventListener('visibilitychange', visibilityChanged)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', visibilityChanged)
    }
  }, [hours])

  return { data, error }
}
