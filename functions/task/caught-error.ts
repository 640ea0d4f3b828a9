import * as v from 'valibot'
import { sentence } from '../runtime/format.ts'
import { parseJson } from '../runtime/json-object.ts'

const caughtSchema = v.object({ Error: v.string(), Cause: v.optional(v.string(), '') })

/** What the state machine passes on when a task stopped. */
export interface CaughtError {
  readonly name: string
  /** The function's error as JSON; empty if there is none. */
  readonly cause: string
}

/** Undefined if it has not the form of the state machine's errors. */
export function readCaughtError(error: unknown): CaughtError | undefined {
  const caught = v.safeParse(caughtSchema, error)
  return caught.success ? { name: caught.output.Error, cause: caught.output.Cause } : undefined
}

/** Why a task stopped that the state machine invoked, as a sentence. */
export function stopReason(what: string, error: unknown): string {
  const caught = readCaughtError(error)
  if (!caught) return `${what} stopped for an unknown reason.`
  const message = messageOf(caught.cause)
  return sentence(`${what} stopped (${caught.name})${message === '' ? '' : `: ${message}`}`)
}

function messageOf(cause: string): string {
  const parsed = v.safeParse(v.object({ errorMessage: v.string() }), parseJson(cause))
  return parsed.success ? parsed.output.errorMessage : cause
}
