import type { Statement } from './synthesize.ts'

export interface S3Request {
  /** Without `s3:`. */
  readonly action: string
  readonly key: string
  /** The condition keys that the request has. */
  readonly context: Readonly<Record<string, string>>
}

type Operator = (value: string | undefined, expected: string) => boolean

/** By IAM user guide, "Condition operators". A key that the request lacks fails all but the negated ones. */
const operators: Readonly<Record<string, Operator>> = {
  Null: (value, expected) => (value === undefined) === (expected === 'true'),
  StringEquals: (value, expected) => value === expected,
  StringNotEquals: (value, expected) => value !== expected,
  StringLike: (value, expected) => value !== undefined && isLike(value, expected),
  StringNotLike: (value, expected) => value === undefined || !isLike(value, expected),
}

/** Whether a role with these statements may do it: an `Allow` applies, and no `Deny`. */
export function isAllowed(statements: readonly Statement[], request: S3Request): boolean {
  const effects = statements.filter((each) => applies(each, request)).map(({ effect }) => effect)
  return effects.includes('Allow') && !effects.includes('Deny')
}

function applies({ actions, resources, condition }: Statement, { action, key, context }: S3Request): boolean {
  return (
    actions.some((pattern) => isLike(`s3:${action}`.toLowerCase(), pattern.toLowerCase())) &&
    resources.some((resource) => isLike(`arn:aws:s3:::bucket/${key}`, arnOf(resource))) &&
    Object.entries((condition ?? {}) as Record<string, Record<string, string | string[]>>).every(
      ([name, expected]) =>
        Object.entries(expected).every(([member, values]) => isMet(name, context[member], [values].flat())),
    )
  )
}

/** One of several values suffices, but a negated operator must hold for all. */
function isMet(name: string, value: string | undefined, expected: readonly string[]): boolean {
  const operator = operators[name]
  if (!operator) throw new Error(`The operator ${name} is not known here.`)
  const meets = (one: string) => operator(value, one)
  return name.includes('Not') ? expected.every(meets) : expected.some(meets)
}

/** `*` stands for any text, slashes too, and `?` for one character. */
function isLike(text: string, pattern: string): boolean {
  const literal = pattern.replaceAll(/[\\^$.+()[\]{}|]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(text)
}

/** The text of an ARN, with the name of the bucket in place of its reference. Other references match no object. */
function arnOf(resource: unknown): string {
  if (typeof resource === 'string') return resource
  const [, parts] = (resource as { 'Fn::Join'?: [string, unknown[]] })['Fn::Join'] ?? []
  if (parts) return parts.map(arnOf).join('')
  return /GetAttSnapshots\w*Arn/.test(JSON.stringify(resource)) ? 'arn:aws:s3:::bucket' : 'reference'
}
