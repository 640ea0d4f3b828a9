import type { StacksTarget, Target } from '../deployment/deployment.ts'
import { deployCommand, longshoreCommand, notDeployedFix } from '../deployment/deployment.ts'
import type { FixCommands } from './finding.ts'

export const commandsFor = (target: Target) => (args: string) => longshoreCommand(target, args)

/** Commands for the deployment that the flags select. */
export function fixesFor(target: StacksTarget): FixCommands {
  return {
    deploy: deployCommand(target),
    firstDeploy: notDeployedFix(target, 'none'),
    longshore: commandsFor(target),
  }
}
