import { useEffect, useState } from 'preact/hooks'
import { getJson, type RequestError } from './request.ts'

export interface Requested<T> {
  readonly data: T | undefined
  readonly error: RequestError | undefined
}

/** Reads a path once; null reads nothing. For what does not change, such as a snapshot. */
export function useRequest<T>(path: string | null): Requested<T> {
  const [state, setState] = useState<Requested<T> & { path: string | null }>(nothing)

  useEffect(() => {
    if (path === null) return undefined
    const controller = new AbortController()
    getJson<T>(path, controller.signal).then(
      (data) => setState({ path, data, error: undefined }),
      (error: RequestError) => {
        if (!controller.signal.aborted) setState({ path, data: undefined, error })
      },
    )
    return () => controller.abort()
  }, [path])

  return state.path === path ? state : nothing
}

const nothing = { path: null, data: undefined, error: undefined }
