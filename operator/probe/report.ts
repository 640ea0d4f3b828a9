import * as v from 'valibot'
import { type Advice, adviceOf } from './advice.ts'
import type { FactName, ProbeFacts } from './facts.ts'

/** docs/probe-report.md describes it. */
export interface ProbeReport {
  readonly version: 1
  readonly entity: string
  readonly facts: ProbeFacts
  readonly advice: Advice
}

export const probeReport = (entity: string, facts: ProbeFacts): ProbeReport => ({
  version: 1,
  entity,
  facts,
  advice: adviceOf(facts),
})

const whole = (least: number) => v.pipe(v.number(), v.safeInteger(), v.minValue(least))
const page = { documents: whole(1) }
const zone = { minutes: v.pipe(v.number(), v.safeInteger()) }
/** The members of facts that have some, by fact and kind. */
const members: Readonly<Record<string, v.ObjectEntries>> = {
  'searchTotal reported': { documents: whole(0), separator: v.picklist(['=', ' ']) },
  'scrollTotal reported': { documents: whole(0), isStable: v.boolean() },
  'pageSize honored': page,
  'pageSize capped': page,
  'pageSize times-out': page,
  'pageSize ignored': page,
  'pageSize multiplied': { by: v.pipe(v.number(), v.gtValue(0)) },
  'createdInIndex shifted': zone,
  'updatedInIndex shifted': zone,
  'clock differs': zone,
  'tokenLife minutes': { atLeast: whole(0), atMost: v.nullable(whole(0)) },
}

/** The facts of a report, whose kinds may be newer. Throws an error with what is wrong. */
export function parseReport(text: string): ProbeFacts {
  const { version, facts } = Object(JSON.parse(text)) as { version?: number; facts?: unknown }
  if (version === undefined) throw new Error('it has no version')
  if (version !== 1) throw new Error(`version ${version} is not supported; run the probe again`)
  if (!v.is(v.looseObject({}), facts) || Array.isArray(facts)) throw new Error('it has no facts')
  for (const [name, fact] of Object.entries(facts)) {
    const kind = v.is(v.looseObject({ kind: v.string() }), fact) ? fact.kind : undefined
    const entries = members[`${name} ${kind}`] ?? (kind === 'refused' ? { status: whole(100) } : {})
    if (kind === undefined || !v.is(v.looseObject(entries), fact))
      throw new Error(`its fact ${name} is malformed`)
  }
  return { ...nothingTried, ...facts }
}

export const factNames = (
  'searchTotal searchFilter unknownField createdIn updatedIn scrollTotal totalCheck tokenHeader tokens pageSize ' +
  'scrollFilter end afterEnd createdInIndex updatedInIndex ranges coding cache cookies clock retryAfter tokenLife wrongKey'
).split(' ') as FactName[]

export const nothingTried = Object.fromEntries(
  factNames.map((name) => [name, { kind: 'not-tried' }]),
) as unknown as ProbeFacts
