import { type RequestError, RequestFailed, Unreachable } from '../request.ts'

/** How the last request of a path ended. Null is no path. */
export interface RequestState<T> {
  readonly path: string | null
  /** The last response; it stays while requests fail. */
  readonly data: T | undefined
  /** Why the last request failed; undefined if it succeeded. */
  readonly error: RequestError | undefined
}

export const notRequested = { path: null, data: undefined, error: undefined } as const

/** What is known of a path: nothing if another one was read. */
export function stateOf<T>(state: RequestState<T>, path: string | null): RequestState<T> {
  return state.path === path ? state : notRequested
}

/** What was shown of a path stays, and what was read of it earlier is shown again until the server responds. */
export function failedState<T>(
  last: RequestState<T>,
  { path, error, known }: { path: string; error: RequestError; known: T | undefined },
): RequestState<T> {
  const { data } = stateOf(last, path)
  return { path, data: data ?? (isPassing(error) ? known : undefined), error }
}

/** A refusal for lack of a session is final. */
export const isFinal = (error: RequestError) => error instanceof RequestFailed && error.status === 401

/** What does not change is read again until the server responds, or refuses. */
export const retryMsAfter = (error: RequestError) => (isPassing(error) ? 3_000 : null)

const isPassing = (error: RequestError) => error instanceof Unreachable || error.status >= 500
