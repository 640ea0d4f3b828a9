import type { Finding } from '../doctor/finding.ts'

/** What waits for a person, the most urgent kind first. */
export const attentionKinds = [
  'credentials-rejected',
  'run-refused',
  'changes-refused',
  'run-failed',
  'no-snapshot',
  'stale',
  'increments-stale',
  'changes-failed',
  'table-failed',
  'glue-failed',
  'not-deployed',
  'schedule-missing',
  'schedule-changed',
  'credentials',
  'drift',
  'deployment',
] as const

export type AttentionKind = (typeof attentionKinds)[number]

/** Something that waits for a person, with what shows it and what resolves it. */
export interface AttentionItem {
  readonly kind: AttentionKind
  /** Empty if it concerns the deployment as a whole. */
  readonly entities: readonly string[]
  /** Since when, in ISO 8601; null if that is not known. */
  readonly since: string | null
  /** What is known, in one or two sentences with numbers. */
  readonly evidence: string
  readonly action: string
  /** A command line for this deployment. */
  readonly command: string
}

const findingActions: Partial<Record<Finding['about'], { kind: AttentionKind; action: string }>> = {
  credentials: { kind: 'credentials', action: 'Store valid credentials.' },
  drift: { kind: 'drift', action: 'Deploy this checkout, or check out the version that is deployed.' },
  deployment: { kind: 'deployment', action: 'Deploy again.' },
}

/** The doctor's problems of the deployment as a whole, which one command resolves. */
export function deploymentItems(findings: readonly Finding[]): AttentionItem[] {
  return findings.flatMap(({ level, about, text, command }) => {
    const known = findingActions[about]
    if (level !== 'problem' || !known || command === undefined) return []
    return [{ ...known, entities: [], since: null, evidence: text, command }]
  })
}
