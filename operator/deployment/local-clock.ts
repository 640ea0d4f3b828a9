import { CommandError } from '../errors.ts'
import type { LocalTarget } from './deployment.ts'
import { findLocalInstance, type LocalClockMove, localClockPath } from './local-instance.ts'

/** How far the clock of `npm start` is ahead of the machine's. Throws `CommandError`. */
export const localClockMs = async ({ path }: LocalTarget): Promise<number> =>
  (await findLocalInstance(path)).aheadMs

/** Moves the clock of `npm start` forward. Resolves when what became due has ended or waits. Throws `CommandError`. */
export async function moveLocalClock({ path }: LocalTarget, ms: number): Promise<void> {
  const { apiUrl, clockToken } = await findLocalInstance(path)
  const response = await fetch(apiUrl + localClockPath, {
    method: 'POST',
    headers: { authorization: `Bearer ${clockToken}` },
    body: JSON.stringify({ ms } satisfies LocalClockMove),
  })
  if (response.ok) return
  const { message } = (await response.json()) as { readonly message: string }
  throw new CommandError(`The clock was not moved: ${message}`)
}
