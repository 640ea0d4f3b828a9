import type { Target } from '../deployment/deployment.ts'
import type { Reporter } from '../reporter.ts'
import { inspectionOf, localInspection } from './checks.ts'
import type { Inspection } from './finding.ts'
import { fixesFor } from './fixes.ts'
import { gatherFacts, gatherLocalFacts } from './gather.ts'

/** Everything that the doctor finds. */
export async function inspectDeployment(target: Target, reporter: Reporter): Promise<Inspection> {
  return target.kind === 'local'
    ? localInspection(await gatherLocalFacts(target))
    : inspectionOf(await gatherFacts(target, reporter), fixesFor(target))
}
