import type { Target } from '../deployment/deployment.ts'
import type { Reporter } from '../reporter.ts'
import type { Finding } from './finding.ts'
import { findingsOf, localFindings } from './findings.ts'
import { commandsFor, fixesFor } from './fixes.ts'
import { gatherFacts, gatherLocalFacts } from './gather.ts'

/** Everything that the doctor finds. */
export async function inspectDeployment(target: Target, reporter: Reporter): Promise<Finding[]> {
  return target.kind === 'local'
    ? localFindings(await gatherLocalFacts(target, reporter), { longshore: commandsFor(target) })
    : findingsOf(await gatherFacts(target, reporter), fixesFor(target))
}
