import { inspectDeployment } from '../cli/commands/doctor.ts'
import { localDeployment, longshoreCommand, type Target } from '../cli/deployment.ts'
import type { LocalInstance } from '../cli/local/instance.ts'
import { createTerminal, silent } from '../cli/shell/terminal.ts'
import { openSyncs } from '../cli/syncs.ts'
import { type Console, createConsole } from '../console/server/console.ts'

/**
 * The operator's console of this `npm start`, which is described in the file at `path`. The AWS clients of this process
 * must use the embedded services.
 */
export function openConsole(instance: LocalInstance, path: string): Promise<Console> {
  const deployment = localDeployment(instance)
  const target: Target = { kind: 'local', path }
  const terminal = silent(createTerminal(process))
  return createConsole({
    deployment,
    syncs: openSyncs(deployment, terminal),
    command: (words) => longshoreCommand(target, words),
    inspect: () => inspectDeployment(target, terminal),
  })
}
