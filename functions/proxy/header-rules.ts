import { ProblemError } from '../http/problem.ts'
import { nextTraceParent, readTraceParent } from '../http/trace-context.ts'
import type { Endpoint } from '../platform/endpoints.ts'

type Headers = Readonly<Record<string, string | undefined>>

/** Interface section 4: all requests send and accept JSON. */
const json = 'application/json'

/** An Accept that asks for nothing in particular, as most clients send it unasked. */
const anything = /^\s*(\*\/\*)?\s*$/

/**
 * The headers that go up: what the endpoint's entry lists, and JSON where the caller has not asked for anything.
 * Credentials and User-Agent are the upstream client's to add. `given` has names in lower case, as API Gateway
 * makes them.
 */
export function upstreamHeaders(
  given: Headers,
  endpoint: Pick<Endpoint, 'requestHeaders'>,
): Record<string, string> {
  const headers: Record<string, string> = { accept: json, 'content-type': json }
  for (const name of endpoint.requestHeaders) {
    const value = given[name]
    if (value === undefined || (name === 'accept' && anything.test(value))) continue
    if (name === 'traceparent') {
      // One that breaks the rules is as good as none (W3C Trace Context section 4.3).
      const trace = readTraceParent(value)
      if (trace) headers[name] = nextTraceParent(trace)
      continue
    }
    if (!/^[\t\x20-\x7e]*$/.test(value)) {
      refuse(name, `The header ${name} holds characters that no header can carry upstream. Keep it to ASCII.`)
    }
    if (name === 'rest-range') checkRange(value)
    headers[name] = value
  }
  return headers
}

/** Interface sections 4.4 and 8: the end is exclusive, and a search answers at most 100 documents. */
function checkRange(value: string): void {
  const [, from, to] = /^resources=(\d{1,15})-(\d{1,15})$/.exec(value) ?? []
  const documents = Number(to) - Number(from)
  if (documents > 0 && documents <= 100) return
  const form =
    'resources=x-y with x below y and at most 100 apart (resources=0-100 is the first 100 documents)'
  refuse('REST-Range', `The header REST-Range must have the form ${form}.`)
}

function refuse(header: string, detail: string): never {
  throw new ProblemError('invalid-request', detail, { header })
}
