import { ProblemError } from '../../http/result.ts'
import { nextTraceParent, readTraceParent } from '../../http/trace-context.ts'
import type { Endpoint } from '../../platform/endpoints.ts'
import { platformHeaders } from '../../platform/headers.ts'

/** Interface section 4: all requests send and accept JSON. */
const json = 'application/json'

/** An Accept without a preference, as most clients send it by default. */
const anyType = /^\s*(\*\/\*)?\s*$/

/**
 * The headers that are forwarded: those that the endpoint lists, and JSON where the caller has no preference. The
 * upstream client adds credentials and User-Agent. Names in `given` are in lower case, as in API Gateway's events.
 */
export function upstreamHeaders(
  given: Readonly<Record<string, string | undefined>>,
  endpoint: Pick<Endpoint, 'requestHeaders'>,
): Record<string, string> {
  const headers: Record<string, string> = { accept: json, 'content-type': json }
  for (const name of endpoint.requestHeaders) {
    const value = given[name]
    if (value === undefined || (name === 'accept' && anyType.test(value))) continue
    if (name === 'traceparent') {
      // A malformed one is ignored (W3C Trace Context section 4.3).
      const trace = readTraceParent(value)
      if (trace) headers[name] = nextTraceParent(trace)
      continue
    }
    if (!/^[\t\x20-\x7e]*$/.test(value))
      refuse(name, `The header ${name} contains characters outside ASCII, which cannot be forwarded.`)
    headers[name] = name === platformHeaders.range ? readRange(value) : value
  }
  return headers
}

/** The range in the interface's form. Sections 4.4 and 8: the end is exclusive, and a search returns at most 100 documents. */
function readRange(value: string): string {
  const [, from, to] = /^\s*resources\s*=\s*(\d{1,15})\s*-\s*(\d{1,15})\s*$/i.exec(value) ?? []
  const documents = Number(to) - Number(from)
  if (documents > 0 && documents <= 100) return `resources=${from}-${to}`
  const form =
    'resources=x-y, with y greater than x by at most 100 (resources=0-100 is the first 100 documents)'
  return refuse('REST-Range', `The header REST-Range must have the form ${form}.`)
}

function refuse(header: string, detail: string): never {
  throw new ProblemError('invalid-request', detail, { header })
}
