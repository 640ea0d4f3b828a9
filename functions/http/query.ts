import { refuseParameter } from './result.ts'

/** The query parameters of a request by name. Throws `ProblemError` for one that is not listed or is repeated. */
export function readQuery(rawQueryString: string, listed: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    if (!listed.includes(name)) {
      const rule = listed.length === 0 ? 'It accepts none.' : `Its parameters are ${listed.join(', ')}.`
      refuseParameter(name, `This route has no query parameter "${name}". ${rule}`)
    }
    if (values.has(name)) refuseParameter(name, `The query parameter ${name} must not be repeated.`)
    values.set(name, value)
  }
  return values
}
