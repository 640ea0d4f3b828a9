import { isUtf8 } from 'node:buffer'
import * as v from 'valibot'
import { ProblemError } from '../http/problem.ts'
import type { Endpoint } from './endpoints.ts'

type BodyRule = Exclude<Endpoint['body'], 'none'>

const jsonObject = v.custom<object>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/** Interface sections 4.2 and 4.3: the same member, a list in one and a single item in the other. */
const items = {
  'object-with-item-array': { schema: v.array(jsonObject), means: 'an array of objects' },
  'object-with-item-object': { schema: jsonObject, means: 'one object' },
} as const satisfies Record<BodyRule, unknown>

/** Checks what the caller wants to send up as it is. `contentType` is the caller's own. */
export function checkBody(body: Buffer, contentType: string | undefined, rule: BodyRule): void {
  if (!isJsonType(contentType)) {
    const detail = 'The body must be JSON and say so: send Content-Type: application/json.'
    throw new ProblemError('unsupported-media-type', detail)
  }
  const patch = parse(body)
  if (!v.is(jsonObject, patch)) refuse('', 'The body must be a JSON object that holds the parts to change.')
  if (!('item' in patch)) return
  const { schema, means } = items[rule]
  const checked = v.safeParse(schema, patch.item)
  if (checked.success) return
  const place = checked.issues[0].path?.map(({ key }) => `/${String(key)}`).join('') ?? ''
  refuse(`/item${place}`, `The member item must be ${means} on this endpoint.`)
}

function isJsonType(contentType = ''): boolean {
  const [type = ''] = contentType.split(';')
  return /^application\/([\w!#$&^.+-]+\+)?json$/i.test(type.trim())
}

function parse(body: Buffer): unknown {
  if (body.length === 0) refuse('', 'The body is missing. Send a JSON object that holds the parts to change.')
  if (!isUtf8(body)) refuse('', 'The body is not UTF-8. Send JSON in UTF-8, not compressed.')
  try {
    return JSON.parse(body.toString())
  } catch {
    // The parser's own message quotes the body.
    return refuse('', 'The body is not valid JSON.')
  }
}

/** `pointer` is a JSON pointer (RFC 6901) into the caller's body. */
function refuse(pointer: string, detail: string): never {
  throw new ProblemError('invalid-request', detail, { pointer })
}
