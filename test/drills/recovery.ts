import assert from 'node:assert/strict'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import type { Platform } from '../../local/stand-in/platform.ts'
import { eventually } from '../e2e/check.ts'

/** An entity with increments whose deployment loses something, on this machine or in an account. */
export interface Recovering {
  readonly entity: string
  readonly platform: Pick<Platform, 'documents'>
  /** Runs a command in a folder of its own and returns its standard output. Fails if the command fails. */
  readonly longshore: (args: string) => Promise<string>
}

interface Chain {
  readonly tip: string
  readonly sets: readonly { readonly runId: string; readonly base: string | null; readonly kind: string }[]
}

const documents = makeDocuments(230)

/** The platform has these documents from now on. */
export const setDocuments = ({ entity, platform }: Recovering, from: number, count = 200): void =>
  void platform.documents.set(entity, documents.slice(from, from + count))

const chainOf = async ({ entity, longshore }: Recovering): Promise<Chain> =>
  JSON.parse(await longshore(`changes ${entity} --json`))

interface Status {
  readonly entities: readonly {
    readonly entity: string
    readonly snapshot: { readonly runId: string } | null
  }[]
}

/** Waits until the chain leads to the published snapshot, which must be another than this. */
async function compared(recovering: Recovering, before?: string): Promise<string> {
  const { entity, longshore } = recovering
  return eventually('the chain leads to the published snapshot', async () => {
    const { entities }: Status = JSON.parse(await longshore('status --json'))
    const runId = entities.find((one) => one.entity === entity)?.snapshot?.runId
    if (runId === undefined || runId === before) return undefined
    // Until the first comparison has ended there is no chain.
    const chain = await chainOf(recovering).catch(() => undefined)
    return chain?.tip === runId ? runId : undefined
  })
}

/** Publishes 200 documents, and a set that leads to them. */
export async function publish(recovering: Recovering, from: number): Promise<string> {
  setDocuments(recovering, from)
  await recovering.longshore(`sync ${recovering.entity} --watch`)
  return compared(recovering)
}

/** After the procedure: the chain continues from what was published before, for sets, readers and increments. */
export async function expectContinued(recovering: Recovering, before: string): Promise<void> {
  const { entity, longshore } = recovering
  await compared(recovering, before)
  const { sets } = await chainOf(recovering)
  assert.partialDeepStrictEqual(sets.at(-1), { base: before, kind: 'changes' })
  await longshore(`verify ${entity}`)
  await longshore(`pull ${entity} --update`)
  await longshore(`sync ${entity} --increment --watch`)
}

/** After the procedure: the chain says that it was reset, and readers continue once they have loaded the snapshot. */
export async function expectReset(recovering: Recovering, before: string): Promise<void> {
  const { entity, longshore } = recovering
  await compared(recovering, before)
  // No set leads from what was published before.
  assert.deepEqual((await chainOf(recovering)).sets, [])
  await longshore(`verify ${entity}`)
  await assert.rejects(longshore(`pull ${entity} --update`), /the chain was reset/)
  await longshore(`pull ${entity} --force`)
  await publish(recovering, 20)
  await longshore(`pull ${entity} --update`)
}
