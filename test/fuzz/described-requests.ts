import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CleanUp } from '../clean-up.ts'
import { endGroup } from '../processes.ts'
import { virtualEnvironment } from '../virtual-environment.ts'

/**
 * Lets schemathesis send valid and invalid requests from the OpenAPI document that the gateway serves, and check each
 * response against it. True if nothing was found.
 */
export async function fuzzDescribed(options: {
  readonly apiUrl: string
  readonly seed: number
  readonly maxExamples: number
  /** Working folder of schemathesis. */
  readonly folder: string
  readonly cleanUp: CleanUp
}): Promise<boolean> {
  const { apiUrl, seed, maxExamples, folder, cleanUp } = options
  const requirements = new URL('requirements.txt', import.meta.url)
  const programs = await virtualEnvironment({ name: 'fuzz', requirements }, cleanUp)
  const child = spawn(join(programs, 'schemathesis'), argumentsOf(apiUrl, { seed, maxExamples }), {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  cleanUp.add(() => (child.exitCode === null ? endGroup(child) : undefined))
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0
}

function argumentsOf(apiUrl: string, { seed, maxExamples }: { seed: number; maxExamples: number }): string[] {
  const settings = ['--config-file', fileURLToPath(new URL('schemathesis.toml', import.meta.url))]
  const effort = ['--seed', String(seed), '--max-examples', String(maxExamples), '--request-timeout', '10']
  // Every operation requires an identity; the local gateway accepts any.
  const identity = ['--header', 'Authorization: AWS4-HMAC-SHA256 of a caller on this machine']
  return [...settings, 'run', `${apiUrl}/openapi.json`, ...effort, ...identity]
}
