import type { Deployment, Target } from './deployment/deployment.ts'
import type { Reporter } from './reporter.ts'

/** What an operation works on, where it reports its progress, and the signal that interrupts it. */
export interface Operation {
  readonly deployment: Deployment
  /** For the command lines in messages. */
  readonly target: Target
  readonly reporter: Reporter
  readonly signal: AbortSignal
}
