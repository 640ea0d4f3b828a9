import { useEffect, useState } from 'preact/hooks'
import type { TimelineResponse } from '../../contract/timeline.ts'
import type { TimelineHours } from '../model/route.ts'
import { type TimelineState, timelineIntervalMs, timelineReader } from '../model/timeline-bars.ts'
import { startPolling } from '../polling.ts'
import { getJson, type RequestError } from '../request.ts'

/** The timeline as it changes. */
export function useTimeline(hours: TimelineHours) {
  const [data, setData] = useState<TimelineState>()
  const [error, setError] = useState<RequestError>()

  useEffect(() => {
    const { stop, visibilityChanged } = startPolling<TimelineState>({
      read: timelineReader(hours, getJson<TimelineResponse>),
      intervalMs: timelineIntervalMs,
      isHidden: () => document.hidden,
      onResponse(state) {
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
