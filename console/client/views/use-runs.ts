import { useCallback, useEffect, useState } from 'preact/hooks'
import type { RunRow, RunsResponse } from '../../contract/run.ts'
import { withCurrent, withNewest, withOlder } from '../model/run-facts.ts'
import { api, getJson, type RequestError, withQuery } from '../request.ts'
import { useRequest } from '../use-request.ts'

export type Runs = ReturnType<typeof useRuns>

/** The runs of an entity, newest first, read again when its newest one changes. Older ones are read on request. */
export function useRuns(entity: string, newest: RunRow | undefined) {
  const version = newest && `${newest.runId} ${newest.status}`
  const [loaded, setLoaded] = useState<RunsResponse>()
  const [olderError, setOlderError] = useState<RequestError>()
  const { data, error } = useRequest<RunsResponse>(api`/entities/${entity}/runs`, version)

  useEffect(() => {
    if (data) setLoaded((before) => withNewest(before, data))
  }, [data])

  const next = loaded?.next
  const loadOlder = useCallback(async () => {
    try {
      const path = withQuery(api`/entities/${entity}/runs`, { before: next ?? '' })
      const older = await getJson<RunsResponse>(path)
      setLoaded((before) => before && withOlder(before, older))
    } catch (failure) {
      setOlderError(failure as RequestError)
    }
  }, [entity, next])

  return {
    runs: withCurrent(loaded?.runs ?? [], newest),
    isLoaded: loaded !== undefined,
    error: olderError ?? (loaded ? undefined : error),
    /** Undefined if there are no older runs. */
    loadOlder: next ? loadOlder : undefined,
  }
}
