import { ProblemError } from './problem.ts'

/** The query parameters of a request by name. Throws `ProblemError` for one that is not listed or is repeated. */
export function readQuery(rawQueryString: string, listed: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    if (!listed.includes(name)) {
      const rule = listed.length === 0 ? 'It has none.' : `Its parameters are ${listed.join(', ')}.`
      refuse(name, `This route has no query parameter "${name}". ${rule}`)
    }
    if (values.has(name)) refuse(name, `The query parameter ${name} must not be repeated.`)
    values.set(name, value)
  }
  return values
}

function refuse(parameter: string, detail: string): never {
  throw new ProblemError('invalid-request', detail, { parameter })
}
