import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { S3Client } from '@aws-sdk/client-s3'

/**
 * Preloaded into every process of `aws-models.test.ts`: writes each call of an AWS client to a file, once for each set of
 * members. Functions run from their sources, since their bundles contain the clients.
 */
const file = process.env['LONGSHORE_RECORDED_CALLS'] ?? ''

interface Client {
  readonly config: { readonly serviceId: string }
}
interface Command {
  readonly input: object
  /** A model of an operation: its name is the third part. */
  readonly schema: readonly unknown[]
}
type Send = (this: Client, command: Command, ...others: unknown[]) => unknown

const { prototype } = Object.getPrototypeOf(S3Client) as { readonly prototype: { send: Send } }
const { send } = prototype
prototype.send = function (command, ...others) {
  record(this.config.serviceId, command)
  return send.call(this, command, ...others)
}

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier.replace(/\/dist\/([a-z-]+)\/handler\.mjs/, '/functions/$1/handler.ts'), context),
})

const known = new Set<string>()

/** Not what tests send themselves, which may be wrong on purpose. */
function record(service: string, { input, schema }: Command): void {
  const caller = new Error().stack
    ?.split('\n')
    .find((line) => !/record-calls|node_modules|node:|^Error/.test(line))
  if (caller && /\/(?:test|bench)\//.test(caller)) return
  const key = `${service} ${String(schema[2])} ${shapeOf(input)}`
  if (known.has(key)) return
  known.add(key)
  appendFileSync(file, `${JSON.stringify({ service, operation: schema[2], key, input: plain(input) })}\n`)
}

/** The names of all members. Those of maps are data. */
const shapeOf = (value: unknown): string => {
  if (Array.isArray(value)) return shapeOf(value[0])
  if (typeof value !== 'object' || value === null || isBinary(value)) return ''
  const names = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${/^[#:]/.test(name) ? '' : name}{${shapeOf(member)}}`],
  )
  return [...new Set(names)].toSorted().join()
}

const isBinary = (value: object) => value instanceof Uint8Array || 'pipe' in value

/** As JSON, in which `$bytes` stands for bytes and streams. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return { $date: value.toISOString() }
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  if (isBinary(value)) return { $bytes: 'byteLength' in value ? value.byteLength : 0 }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}
