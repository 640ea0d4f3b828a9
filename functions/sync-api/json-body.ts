import { ProblemError } from '../http/result.ts'
import { isObject, parseJson, pointerToken } from '../runtime/json-object.ts'

/** The members that a body may have, and what each must be. */
export interface BodyForm {
  readonly members: Readonly<Record<string, BodyMember>>
  /** What to send instead of an invalid body. */
  readonly advice: string
}

export interface BodyMember {
  readonly is: (value: unknown) => boolean
  /** What `is` expects, such as `true or false`. */
  readonly expected: string
  readonly isRequired?: true
}

/** The object in a body; an empty one if there is no body or `null`. Throws `ProblemError`, which names each error. */
export function readMembers(body: Buffer, { members, advice }: BodyForm): Readonly<Record<string, unknown>> {
  // A byte order mark is white space for `trim`.
  const text = body.toString().trim()
  // Some generated clients send `null` where they have no body.
  const given = text === '' || text === 'null' ? {} : parseJson(text)
  if (!isObject(given)) return refuse([{ pointer: '', expected: 'a JSON object' }], advice)
  const names = Object.keys(members)
  const missing = names.filter((name) => members[name]?.isRequired && !Object.hasOwn(given, name))
  const errors = [...Object.keys(given), ...missing].flatMap((name) => {
    const member = Object.hasOwn(members, name) ? members[name] : undefined
    if (!member) return { pointer: pointerOf(name), expected: names.join(' or ') }
    return member.is(given[name]) ? [] : { pointer: pointerOf(name), expected: member.expected }
  })
  return errors.length > 0 ? refuse(errors.slice(0, maxErrors), advice) : given
}

const maxErrors = 20
const maxNameLength = 100

/** RFC 6901; a long name of the caller is not repeated. */
const pointerOf = (name: string): string => `/${pointerToken(name.slice(0, maxNameLength))}`

interface BodyError {
  readonly pointer: string
  readonly expected: string
}

/** Throws `ProblemError`. */
export function refuse(errors: readonly BodyError[], advice: string): never {
  const list = errors
    .map(({ pointer, expected }) => `${pointer || 'the body'} must be ${expected}`)
    .join('; ')
  throw new ProblemError('invalid-request', `The body is invalid: ${list}. ${advice}`, {
    pointer: errors[0]?.pointer ?? '',
    errors,
  })
}
