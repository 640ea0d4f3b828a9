import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { readInstancePath } from '../operator/deployment/local-address.ts'
import { findLocalInstance, type LocalInstance } from '../operator/deployment/local-instance.ts'
import { writeWholeFile } from './lines-file.ts'

export type Registration =
  | { readonly kind: 'registered'; remove(): void }
  /** Another `npm start` of this checkout is running; commands find this one by the path of its own file. */
  | { readonly kind: 'taken' }

/** Writes the file by which `longshore --local` finds this process. */
export async function registerInstance(instance: LocalInstance, variable?: string): Promise<Registration> {
  const path = readInstancePath(variable)
  const isTaken = await findLocalInstance(path).then(
    () => true,
    () => false,
  )
  if (isTaken) return { kind: 'taken' }
  mkdirSync(dirname(path), { recursive: true })
  writeInstanceFile(path, instance)
  return { kind: 'registered', remove: () => removeOwn(path, instance) }
}

/** The file contains access keys. */
export function writeInstanceFile(path: string, instance: LocalInstance): void {
  writeWholeFile(path, `${JSON.stringify(instance, null, 2)}\n`)
}

/** Whether commands that name this file reach this process. False if the file was deleted. */
export function isRegistered(path: string, { startedAt }: LocalInstance): boolean {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as LocalInstance).startedAt === startedAt
  } catch {
    return false
  }
}

/** Another `npm start` may have replaced the file. */
function removeOwn(path: string, instance: LocalInstance): void {
  if (isRegistered(path, instance)) rmSync(path, { force: true })
}
