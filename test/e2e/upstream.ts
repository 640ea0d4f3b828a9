import type { ConfigurationInput } from '../../lib/config.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import type { CleanUp } from '../clean-up.ts'

/** An entity per scenario, so that no check waits for another or changes its counts. */
export const entities = [
  { name: 'CL', schedule: 'rate(30 days)', pageSize: 200 },
  { name: 'Scheduled', schedule: 'rate(1 minute)', pageSize: 100 },
  { name: 'Shrinking', schedule: 'rate(30 days)', pageSize: 100 },
  { name: 'Crashing', schedule: 'rate(30 days)', pageSize: 100 },
  { name: 'Long', schedule: 'rate(30 days)', pageSize: 50 },
  {
    name: 'Granted',
    schedule: 'rate(30 days)',
    keepSnapshots: 2,
    increments: { schedule: 'rate(30 days)' },
  },
  { name: 'Changing', schedule: 'rate(30 days)', pageSize: 100, increments: { schedule: 'rate(30 days)' } },
  { name: 'Frequent', schedule: 'rate(30 days)', pageSize: 100, increments: { schedule: 'rate(1 minute)' } },
  {
    name: 'Partitioned',
    schedule: 'rate(30 days)',
    pageSize: 100,
    partitions: { by: 'createdIn', count: 4 },
  },
  { name: 'By_Hand', schedule: 'rate(30 days)', enabled: false },
  { name: 'By_Time', schedule: 'rate(30 days)' },
  { name: 'Typed', schedule: 'rate(30 days)', pageSize: 500, columns: { id: 'string', email: 'string' } },
] as const satisfies ConfigurationInput['entities']

export type EntityName = (typeof entities)[number]['name']

/** White space, long numbers and non-ASCII characters that no JSON library would reproduce. */
export const dock = Buffer.from(
  '{ "id" : "d 1é",\t"name":"Café \\u00e9 🌊", "priority": 12345678901234567890.10, "salesChannels":["1" , "2"]}\n',
)

/** The stand-in platform with the documents of each scenario. */
export async function startUpstream(cleanUp: CleanUp): Promise<Platform> {
  const platform = await startPlatform({
    documents: {
      CL: makeDocuments(1_050),
      Scheduled: makeDocuments(330, { seed: 2 }),
      Shrinking: makeDocuments(400, { seed: 3 }),
      Crashing: makeDocuments(3_000, { seed: 4 }),
      Long: makeDocuments(2_500, { seed: 6 }),
      Granted: makeDocuments(20, { seed: 7 }),
      Changing: makeDocuments(250, { seed: 12 }),
      Frequent: makeDocuments(250, { seed: 13 }),
      Partitioned: makeDocuments(1_000, { seed: 8 }),
      By_Hand: makeDocuments(77, { seed: 5, caseTwins: true }),
      By_Time: makeDocuments(1_500, { seed: 10 }),
      Typed: makeDocuments(1_250, { seed: 11 }),
    },
    docks: { 'd 1é': dock },
    groups: { g1: { item: [] } },
    subscriptions: { s1: { status: 'ACTIVE' } },
  })
  cleanUp.add(() => platform.close())
  return platform
}

/** Lets the scrolls of an entity receive this many pages. Then the platform throttles them until it is removed. */
export const throttleScrolls = ({ faults }: Platform, entity: string, afterPages: number) =>
  faults.add({
    match: onScroll({ entity }),
    after: afterPages,
    times: Infinity,
    fault: { kind: 'status', status: 429, headers: { 'Retry-After': '1' }, effect: 'before' },
  })
