import type { MemoryDynamoDb } from '../simulation/stores/memory-dynamodb.ts'
import type { MemoryS3 } from '../simulation/stores/memory-s3.ts'

interface Stores {
  readonly s3: MemoryS3
  readonly dynamodb: MemoryDynamoDb
}

/** What happens at a call of a store. */
export type AtCall =
  /** The function stops: this call and all later ones fail. */
  | { readonly kind: 'crash' }
  /** The call fails, and later ones do not. */
  | { readonly kind: 'failure' }
  /** Something else does all of its work first, and uses the same stores. */
  | { readonly kind: 'rival'; readonly work: () => Promise<unknown> }

class StoreFailure extends Error {}

/** Plays what happens at the call with this number, from 1. Returns a function that ends this and returns the number of calls. */
function atCall({ s3, dynamodb }: Stores, number: number, happens: AtCall): () => number {
  const originals = { send: s3.send.bind(s3), read: dynamodb.read, write: dynamodb.write }
  let calls = 0
  let isRivalAtWork = false
  const through = async <T>(name: () => string, call: () => Promise<T>): Promise<T> => {
    if (isRivalAtWork) return call()
    const own = ++calls
    const isLater = happens.kind === 'crash' && own > number && number > 0
    if (own !== number && !isLater) return call()
    if (happens.kind === 'rival') {
      isRivalAtWork = true
      await happens.work()
      isRivalAtWork = false
      return call()
    }
    throw new StoreFailure(`The call ${own} failed: ${name()}`)
  }
  s3.send = (command) =>
    through(
      () => JSON.stringify('input' in command ? command.input : {}).slice(0, 300),
      () => originals.send(command),
    )
  dynamodb.read = (request) =>
    through(
      () => JSON.stringify(request),
      () => originals.read(request),
    )
  dynamodb.write = (request) =>
    through(
      () => JSON.stringify(request),
      () => originals.write(request),
    )
  return () => {
    Object.assign(s3, { send: originals.send })
    Object.assign(dynamodb, { read: originals.read, write: originals.write })
    return calls
  }
}

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
