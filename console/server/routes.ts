import type { IncomingMessage } from 'node:http'
import { decodedPart, parameterNames, pathPattern } from '../../functions/http/path-template.ts'
import { ProblemError, problems } from '../../functions/http/result.ts'
import { parseJson } from '../../functions/runtime/json-object.ts'
import { CommandError, failureOf, UsageError } from '../../operator/errors.ts'
import { apiPrefix, type ErrorResponse } from '../contract/api.ts'
import { type ConsoleResponse, jsonResponse } from './respond.ts'

export interface ApiRequest {
  /** A parameter of the route's path. */
  readonly path: (name: string) => string
  readonly query: URLSearchParams
  /** Undefined without a body. */
  readonly body: unknown
}

/** The result of a route that is not sent as JSON. */
export class ReadyResponse {
  readonly response: ConsoleResponse

  constructor(response: ConsoleResponse) {
    this.response = response
  }
}

/** Routes such as `GET /entities/{entity}`. What they resolve to is sent as JSON, unless it is a `ReadyResponse`. */
export type Routes = Readonly<Record<string, (request: ApiRequest) => Promise<unknown>>>

/** Finds the route of a request and sends its response. Errors become a message and a fix, never a stack trace. */
export async function respondToRoute(
  routes: Routes,
  { method, url }: { readonly method: string; readonly url: URL },
  readBody: () => Promise<unknown>,
): Promise<ConsoleResponse> {
  const matched = matchRoute(routes, method, url.pathname)
  if (!matched) return jsonResponse(404, { message: 'Not found.' } satisfies ErrorResponse)
  const { respond, parameters } = matched
  try {
    const result = await respond({
      path: (name) => parameters[name] ?? '',
      query: url.searchParams,
      body: method === 'POST' ? await readBody() : undefined,
    })
    return result instanceof ReadyResponse ? result.response : jsonResponse(200, result)
  } catch (error) {
    const { message, fix } = failureOf(error)
    return jsonResponse(statusOf(error), {
      message,
      ...(fix !== undefined && { fix }),
    } satisfies ErrorResponse)
  }
}

function matchRoute(routes: Routes, method: string, path: string) {
  for (const [route, respond] of Object.entries(routes)) {
    const [routeMethod, template = ''] = route.split(' ')
    const [matched, ...parts] = pathPattern(`${apiPrefix}${template}`).exec(path) ?? []
    const values = parts.flatMap((part) => decodedPart(part) ?? [])
    if (routeMethod !== method || matched === undefined || values.length < parts.length) continue
    const parameters = Object.fromEntries(parameterNames(template).map((name, at) => [name, values[at]]))
    return { respond, parameters }
  }
  return undefined
}

function statusOf(error: unknown): number {
  if (error instanceof ProblemError) return problems[error.problem].status
  if (error instanceof UsageError) return 400
  return error instanceof CommandError ? 409 : 502
}

const maxBodyBytes = 10_000

/** Throws `ProblemError` unless the body is JSON and small. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    throw new ProblemError('unsupported-media-type', 'Send application/json.')
  }
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > maxBodyBytes) throw new ProblemError('invalid-request', 'The body is too large.')
  }
  const body = parseJson(text)
  if (body === undefined) throw new ProblemError('invalid-request', 'The body is not JSON.')
  return body
}

/** Zero if it is missing. Throws `ProblemError` if it is anything else than a whole number. */
export function wholeNumberParameter(text: string | null): number {
  if (text === null) return 0
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new ProblemError('invalid-request', 'A position is not a whole number.')
}
