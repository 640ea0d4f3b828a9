import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { defaultAddress, readLocalAddress } from '../cli/local/address.ts'
import { findLocalInstance, type InstanceFile, type LocalInstance } from '../cli/local/instance.ts'

export type Registration =
  | { readonly kind: 'registered'; remove(): void }
  /** Another `npm start` of this checkout is running; commands find this one by its URL. */
  | { readonly kind: 'taken' }

/** Writes the file by which `longshore --local` finds this process. */
export async function registerInstance(instance: LocalInstance, variable?: string): Promise<Registration> {
  const named = readLocalAddress(variable)
  const address = named.kind === 'file' ? named : defaultAddress
  const isTaken = await findLocalInstance(address).then(
    () => true,
    () => false,
  )
  if (isTaken) return { kind: 'taken' }
  const { pid, startedAt, apiUrl: url } = instance
  const content: InstanceFile = { pid, startedAt, url }
  mkdirSync(dirname(address.path), { recursive: true })
  writeFileSync(address.path, `${JSON.stringify(content, null, 2)}\n`)
  return { kind: 'registered', remove: () => removeOwn(address.path, startedAt) }
}

/** Another `npm start` may have replaced the file. */
function removeOwn(path: string, startedAt: string): void {
  try {
    const { startedAt: found } = JSON.parse(readFileSync(path, 'utf8')) as InstanceFile
    if (found === startedAt) rmSync(path)
  } catch {
    // The file was deleted.
  }
}
