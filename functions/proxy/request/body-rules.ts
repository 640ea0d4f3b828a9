import { isUtf8 } from 'node:buffer'
import { hasByteOrderMark } from '../../../stored/documents/json-bytes.ts'
import { ProblemError } from '../../http/result.ts'
import type { Endpoint } from '../../platform/endpoints.ts'
import { type FieldSchema, subscriptionGroupPatch, subscriptionPatch } from '../../platform/patch-schemas.ts'
import { parseJson } from '../../runtime/json-object.ts'
import type { Validation } from '../../runtime/settings.ts'
import { type FieldError, fieldErrors, maxErrors } from './field-rules.ts'

type BodyRule = Exclude<Endpoint['body'], 'none'>

const structure = (item: FieldSchema): FieldSchema => ({ type: 'object', properties: { item } })

/** Interface sections 4.2 and 4.3: `item` is a list in one and a single object in the other. */
const schemas: Readonly<Record<BodyRule, Readonly<Record<Validation, FieldSchema>>>> = {
  'object-with-item-array': {
    strict: subscriptionGroupPatch,
    structure: structure({ type: 'array', items: { type: 'object' } }),
  },
  'object-with-item-object': { strict: subscriptionPatch, structure: structure({ type: 'object' }) },
}

export interface BodyCheck {
  /** As the caller sent it. */
  readonly contentType: string | undefined
  readonly rule: BodyRule
  readonly validation: Validation
}

/** Checks a body that is forwarded unchanged. Throws `ProblemError`. */
export function checkBody(body: Buffer, { contentType, rule, validation }: BodyCheck): void {
  if (!isJsonType(contentType)) {
    const detail = 'The body must be JSON. Send it with Content-Type: application/json.'
    throw new ProblemError('unsupported-media-type', detail)
  }
  const errors = fieldErrors(parse(body), schemas[rule][validation])
  if (errors.length > 0) refuse(describe(errors), errors)
}

const isJsonType = (contentType = ''): boolean =>
  /^\s*application\/([\w!#$&^.+-]+\+)?json\s*(;|$)/i.test(contentType)

function parse(body: Buffer): unknown {
  if (body.length === 0) refuse('The body is missing. Send a JSON object with the parts to change.')
  if (!isUtf8(body)) refuseEncoding()
  // RFC 8259 section 8.1 forbids to send one, and the body goes up byte for byte.
  if (hasByteOrderMark(body))
    refuse('The body begins with a byte order mark (U+FEFF). Save it as UTF-8 without one and send it again.')
  const value = parseJson(body.toString())
  // The parser's own message would quote the body.
  return value === undefined ? refuse('The body is not valid JSON.') : value
}

/** A sentence about the first errors; `errors` lists all of them. */
function describe(errors: readonly FieldError[]): string {
  const nameOf = (pointer: string) => (pointer.length > 200 ? 'a member' : pointer || 'the body')
  const first = errors.slice(0, 5).map(({ pointer, expected }) => `${nameOf(pointer)} must be ${expected}`)
  const count = errors.length === maxErrors ? `${maxErrors} or more` : String(errors.length)
  const more = errors.length > 5 ? `; ${count} errors in all` : ''
  return `The platform's interface does not allow this body: ${first.join('; ')}${more}.`
}

export function refuseEncoding(): never {
  refuse('The body is not UTF-8. Send JSON in UTF-8 without compression.')
}

/** `pointer` repeats the first of `errors`, for callers who read only one. */
function refuse(detail: string, errors: readonly FieldError[] = []): never {
  const pointer = errors[0]?.pointer ?? ''
  throw new ProblemError('invalid-request', detail, { pointer, ...(errors.length > 0 && { errors }) })
}
