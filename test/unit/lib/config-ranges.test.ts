import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ConfigurationInput } from '../../../lib/config.ts'
import { errorsIn } from './configurations.ts'

/**
 * The path of every numeric key: a new one does not compile until its range is below. Values of `query` are texts, and
 * `logRetentionDays` is one of a list.
 */
type NumericPath<T, Path extends string = ''> = T extends number
  ? Path
  : T extends readonly (infer Item)[]
    ? NumericPath<Item, `${Path}[0]`>
    : T extends object
      ? {
          [Key in keyof T & string]: Key extends 'query' | 'logRetentionDays'
            ? never
            : NumericPath<NonNullable<T[Key]>, Path extends '' ? Key : `${Path}.${Key}`>
        }[keyof T & string]
      : never

interface Range {
  readonly smallest: number
  readonly largest: number
  readonly values: 'whole' | 'any'
}

const whole = (smallest: number, largest: number): Range => ({ smallest, largest, values: 'whole' })
const any = (smallest: number, largest: number): Range => ({ smallest, largest, values: 'any' })

const ranges: Readonly<Record<NumericPath<ConfigurationInput>, Range>> = {
  'upstream.timeoutSeconds': any(1, 28),
  'throttle.ratePerSecond': any(0.1, 10_000),
  'throttle.burst': whole(1, 5000),
  maxConcurrentCalls: whole(1, 10_000),
  maxConcurrentSyncs: whole(1, 10),
  maxConcurrentScrolls: whole(1, 10),
  stepSeconds: whole(10, 840),
  eraseWithinDays: whole(8, 365),
  'entities[0].pageSize': whole(1, 1000),
  'entities[0].keepSnapshots': whole(1, 1000),
  'entities[0].keepSnapshots.last': whole(1, 1000),
  'entities[0].keepSnapshots.daily': whole(1, 1000),
  'entities[0].maxShrinkPercent': any(0, 100),
  'entities[0].totalTolerancePercent': any(0, 100),
  'entities[0].partitions.count': whole(2, 10),
  'entities[0].changes.maxDeletePercent': any(0, 100),
  'entities[0].changes.keepDays': whole(1, 365),
  'entities[0].increments.lookbackMinutes': whole(5, 1440),
}

/** A correct configuration in which the key at the path has this value. */
function withValue(path: string, value: unknown): object {
  const entity = { name: 'CL', schedule: 'rate(1 day)', partitions: { by: 'createdIn', count: 2 } }
  const configuration = { upstream: { baseUrl: 'https://shop.example.com' }, entities: [entity] }
  const keys = path.split(/\.|(?=\[)/).map((key) => (key === '[0]' ? 0 : key))
  const last = keys.pop() as string
  if (path.includes('increments.')) Object.assign(entity, { increments: { schedule: 'rate(5 minutes)' } })
  if (path.includes('keepSnapshots.')) Object.assign(entity, { keepSnapshots: { last: 7, daily: 30 } })
  let parent = configuration as Record<string | number, unknown>
  for (const key of keys) {
    parent[key] ??= {}
    parent = parent[key] as typeof parent
  }
  parent[last] = value
  return configuration
}

const errorsOf = (path: string, value: unknown) => errorsIn(withValue(path, value))

describe.each(Object.entries(ranges))('%s', (path, { smallest, largest, values }) => {
  it(`is at least ${smallest} and at most ${largest}`, () =>
    expect([smallest, largest].flatMap((value) => errorsOf(path, value))).toEqual([]))

  it.each([
    ...(values === 'whole' ? [smallest - 1, largest + 1, smallest + 0.5] : [smallest - 0.01, largest + 0.01]),
    Number.MAX_SAFE_INTEGER,
    Infinity,
    -Infinity,
    NaN,
    String(smallest),
    null,
  ])('refuses %s', (value) => {
    const kind = values === 'whole' ? 'a whole number' : 'a number'
    const range = expect.stringMatching(`^.* is not ${kind} from ${smallest} to ${largest}$`) as string
    expect(errorsOf(path, value)).toEqual([range])
  })

  it('has its range in docs/configuration.md', () => {
    const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
    const key = path.replace('entities[0].', '').replace(/^(partitions|keepSnapshots|increments)\..*/, '$1')
    const row = page.split('\n').find((line) => line.startsWith(`| \`${key}\` |`))
    expect(row).toContain(`${smallest.toLocaleString('en')} to ${largest.toLocaleString('en')}`)
  })
})
