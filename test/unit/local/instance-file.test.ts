import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isRegistered, registerInstance, writeInstanceFile } from '../../../local/instance-file.ts'
import type { LocalInstance } from '../../../operator/deployment/local-instance.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const folder = temporaryFolder()

const instance = (startedAt: string) => ({ startedAt, apiUrl: 'http://127.0.0.1:9' }) as LocalInstance

it('knows which npm start the commands reach', async () => {
  const path = join(folder, 'local.json')
  const [first, second] = [instance('1'), instance('2')]
  expect(isRegistered(path, first)).toBe(false)
  const registration = await registerInstance(first, path)
  expect([isRegistered(path, first), isRegistered(path, second)]).toEqual([true, false])
  // The file of another one is left alone.
  writeInstanceFile(path, second)
  if (registration.kind === 'registered') registration.remove()
  expect([isRegistered(path, first), isRegistered(path, second)]).toEqual([false, true])
})
