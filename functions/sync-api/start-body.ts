import { ProblemError } from '../http/problem.ts'

/** What a caller accepts for one run despite a guard. */
export interface StartOptions {
  readonly acceptShrink: boolean
  readonly acceptDeletes: boolean
}

const names = ['acceptShrink', 'acceptDeletes'] as const satisfies readonly (keyof StartOptions)[]
const isOption = (name: string) => (names as readonly string[]).includes(name)

/** The body of a start: none, or an object with any of the options. Throws `ProblemError`, which names each mistake. */
export function readStartBody(body: Buffer): StartOptions {
  const text = body.toString()
  const given = text.trim() === '' ? {} : parseObject(text)
  const errors = Object.entries(given).flatMap(([name, value]) => {
    if (!isOption(name)) return { pointer: pointerOf(name), expected: names.join(' or ') }
    return typeof value === 'boolean' ? [] : { pointer: pointerOf(name), expected: 'true or false' }
  })
  if (errors.length > 0) refuse(errors.slice(0, maxErrors))
  return { acceptShrink: given['acceptShrink'] === true, acceptDeletes: given['acceptDeletes'] === true }
}

const maxErrors = 20
const maxNameLength = 100

/** RFC 6901; a long name of the caller is not repeated. */
function pointerOf(name: string): string {
  return `/${name.slice(0, maxNameLength).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  return refuse([{ pointer: '', expected: 'a JSON object' }])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refuse(errors: readonly { readonly pointer: string; readonly expected: string }[]): never {
  const list = errors
    .map(({ pointer, expected }) => `${pointer || 'the body'} must be ${expected}`)
    .join('; ')
  throw new ProblemError(
    'invalid-request',
    `The body is invalid: ${list}. Send no body, or any of {"acceptShrink": true, "acceptDeletes": true}.`,
    { pointer: errors[0]?.pointer ?? '', errors },
  )
}
