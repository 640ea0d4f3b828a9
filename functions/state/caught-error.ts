import * as v from 'valibot'

const caughtSchema = v.object({ Error: v.string(), Cause: v.optional(v.string(), '') })

/** Why a task stopped that the state machine invoked. It passes the error's name, and as its cause the function's error as JSON. */
export function stopReason(what: string, error: unknown): string {
  const caught = v.safeParse(caughtSchema, error)
  if (!caught.success) return `${what} stopped for an unknown reason.`
  const { Error: name, Cause: cause } = caught.output
  return `${what} stopped (${name}): ${messageOf(cause)}`
}

function messageOf(cause: string): string {
  try {
    const parsed = v.safeParse(v.object({ errorMessage: v.string() }), JSON.parse(cause))
    return parsed.success ? parsed.output.errorMessage : cause
  } catch {
    return cause
  }
}
