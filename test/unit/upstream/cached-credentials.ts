import type { Area } from '../../../functions/platform/areas.ts'
import { cacheCredentials, type SecretReader } from '../../../functions/upstream/credential-cache.ts'
import { CredentialsError } from '../../../functions/upstream/exchange.ts'

/** A store of secrets whose clock and content the test sets; `reads` are the ids in the order of their reads. */
export function prepare(
  secretIds: Partial<Record<Area, string>> = {},
  onRejection: 'wait' | 'continue' = 'continue',
) {
  const store = {
    nowMs: 1_000_000,
    value: keys('key-1') as string | undefined,
    version: 'v1',
    failure: undefined as Error | undefined,
    reads: [] as string[],
    slept: [] as number[],
  }
  const read: SecretReader = async (id) => {
    store.reads.push(id)
    const { value, version, failure } = store
    await new Promise((resolve) => setImmediate(resolve))
    if (failure) throw failure
    return { value, version }
  }
  const source = cacheCredentials({
    secretIds: { logistics: 'one', subscriptions: 'one', documents: 'one', ...secretIds },
    read,
    now: () => store.nowMs,
    ...(onRejection === 'wait' && { sleep: (ms: number) => sleep(store, ms) }),
  })
  const rotate = (version: string) => Object.assign(store, { value: keys(`key-of-${version}`), version })
  return { store, source, rotate }
}

/** Waits in the store's time. Sleepers of the same time wake up together. */
async function sleep(store: { nowMs: number; slept: number[] }, ms: number): Promise<void> {
  const until = store.nowMs + ms
  store.slept.push(ms)
  await new Promise((resolve) => setImmediate(resolve))
  store.nowMs = Math.max(store.nowMs, until)
}

export function keys(appKey: string, appToken = 'token-1'): string {
  return JSON.stringify({ appKey, appToken })
}

export async function errorOf(promise: Promise<unknown>): Promise<CredentialsError> {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  if (!(error instanceof CredentialsError)) throw new Error(`no CredentialsError but ${String(error)}`)
  return error
}
