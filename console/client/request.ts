import { apiPrefix, type ErrorResponse } from '../contract/api.ts'

/** The server refused or failed. `fix` is what resolves it. */
export class RequestFailed extends Error {
  readonly status: number
  readonly fix: string | undefined

  constructor(status: number, { message, fix }: ErrorResponse) {
    super(message)
    this.status = status
    this.fix = fix
  }
}

/** The server did not respond: it was stopped, or the network is down. */
export class Unreachable extends Error {}

export type RequestError = RequestFailed | Unreachable

/** Reads a path of the console's API. Throws `RequestError`. */
export function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return call<T>(path, { ...(signal && { signal }) })
}

/** Changes something. Throws `RequestError`. */
export function postJson<T>(path: string, body: object = {}): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  return call<T>(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function call<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(`${apiPrefix}${path}`, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new Unreachable('The console is not responding.', { cause: error })
  })
  const result: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw new RequestFailed(response.status, errorOf(response.status, result))
  if (result === undefined) throw new Unreachable('The response was cut off.')
  return result as T
}

/** What responds in place of the console, such as a proxy, has another form. */
function errorOf(status: number, result: unknown): ErrorResponse {
  const isOurs = typeof result === 'object' && result !== null && 'message' in result
  return isOurs ? (result as ErrorResponse) : { message: `The console responded with status ${status}.` }
}

/** A path with its segments encoded: `` api`/entities/${entity}` ``. */
export function api(texts: TemplateStringsArray, ...segments: readonly string[]): string {
  return String.raw({ raw: texts }, ...segments.map(encodeURIComponent))
}

export const withQuery = (path: string, query: Readonly<Record<string, string>>) =>
  `${path}?${new URLSearchParams(query)}`
