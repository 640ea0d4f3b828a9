import type { MemoryDynamoDb } from '../simulation/stores/memory-dynamodb.ts'
import type { MemoryS3 } from '../simulation/stores/memory-s3.ts'
import type { MemoryCatalog } from './tables/memory-catalog.ts'

interface Stores {
  readonly s3?: MemoryS3
  readonly dynamodb?: MemoryDynamoDb
  readonly catalog?: MemoryCatalog
}

type Call = (...input: unknown[]) => Promise<unknown>

/** The methods of the stores that stand for a request. */
function requestsOf({ s3, dynamodb, catalog }: Stores): { store: Record<string, Call>; name: string }[] {
  const all = [
    [s3, ['send']],
    [dynamodb, ['read', 'write']],
    [catalog, ['read', 'create', 'update', 'drop']],
  ] as const
  return all.flatMap(([store, names]) =>
    store ? names.map((name) => ({ store: store as unknown as Record<string, Call>, name })) : [],
  )
}

/** What happens at a call of a store. */
export type AtCall =
  /** The function stops: this call and all later ones fail. */
  | { readonly kind: 'crash' }
  /** The call fails, and later ones do not. */
  | { readonly kind: 'failure' }
  /** Something else does all of its work first, and uses the same stores. */
  | {
      readonly kind: 'rival'
      readonly work: () => Promise<unknown>
      /** After so many calls more, the function stops. */
      readonly stopsAfter?: number
    }

class StoreFailure extends Error {}

/** Plays what happens at the call with this number, from 1. Returns a function that ends this and returns the number of calls. */
function atCall(stores: Stores, number: number, happens: AtCall): () => number {
  let calls = 0
  let isRivalAtWork = false
  const isStopped = (call: number) => {
    if (happens.kind === 'rival') return call >= number + (happens.stopsAfter ?? Number.POSITIVE_INFINITY)
    return happens.kind === 'crash'
  }
  const through = async (name: () => string, call: () => Promise<unknown>): Promise<unknown> => {
    if (isRivalAtWork) return call()
    const own = ++calls
    if (own < number || number === 0 || (own > number && !isStopped(own))) return call()
    if (happens.kind === 'rival' && own === number) {
      isRivalAtWork = true
      await happens.work()
      isRivalAtWork = false
      return call()
    }
    throw new StoreFailure(`The call ${own} failed: ${name()}`)
  }
  const originals = requestsOf(stores).map(({ store, name }) => ({ store, name, call: store[name] as Call }))
  for (const { store, name, call } of originals)
    store[name] = (...input) =>
      through(
        () => `${name} ${JSON.stringify(input.map(inputOf)).slice(0, 300)}`,
        () => call.apply(store, input),
      )
  return () => {
    for (const { store, name, call } of originals) store[name] = call
    return calls
  }
}

/** What a command of an AWS client sends. */
const inputOf = (request: unknown) =>
  typeof request === 'object' && request !== null && 'input' in request ? request.input : request

/** How many calls some work makes. */
export async function callsOf(stores: Stores, work: () => Promise<unknown>): Promise<number> {
  const end = atCall(stores, 0, { kind: 'failure' })
  await work()
  return end()
}

/** Runs work of which a call fails. Returns which one did, if the work threw its error. Other errors are thrown. */
export async function withCall(
  stores: Stores,
  { call, happens }: { readonly call: number; readonly happens: AtCall },
  work: () => Promise<unknown>,
): Promise<string | undefined> {
  const end = atCall(stores, call, happens)
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    return error.message
  } finally {
    end()
  }
}

/** Work of which a call waits. */
interface Paused {
  readonly call: number
  readonly work: () => Promise<unknown>
}

/** Runs `first` to its call, then `second` to its own, then the rest of `first`, and the rest of `second`. */
export async function interleave(stores: Stores, first: Paused, second: Paused): Promise<void> {
  let other: Promise<unknown> = Promise.resolve()
  const begin = async () => {
    await Promise.resolve()
    await new Promise<void>((resume) => {
      const work = async () => {
        resume()
        await one.catch(() => undefined)
      }
      other = withCall(stores, { call: second.call, happens: { kind: 'rival', work } }, second.work)
      other.finally(resume).catch(() => undefined)
    })
  }
  const one = withCall(stores, { call: first.call, happens: { kind: 'rival', work: begin } }, first.work)
  await one
  await other
}
