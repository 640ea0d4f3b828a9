import * as v from 'valibot'
import { ProblemError } from '../http/problem.ts'

const schema = v.strictObject({ acceptShrink: v.optional(v.boolean(), false) })

/** The body of a start: none, or `{"acceptShrink": true}`. Throws `ProblemError`. */
export function readStartBody(body: Buffer): { readonly acceptShrink: boolean } {
  if (body.toString().trim() === '') return { acceptShrink: false }
  const value = parseJson(body.toString())
  const parsed = v.safeParse(schema, value)
  // To valibot an array is an object too.
  if (parsed.success && !Array.isArray(value)) return parsed.output
  throw new ProblemError(
    'invalid-request',
    'The body is not valid. Send none, or {"acceptShrink": true} to publish in spite of the shrink guard.',
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
