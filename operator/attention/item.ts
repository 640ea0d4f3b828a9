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
  'schema-changed',
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
  /** The run that shows it; null if it is not about one. */
  readonly runId: string | null
}

interface FindingItem extends Pick<AttentionItem, 'kind' | 'action'> {
  readonly level: Finding['level']
}

const findingItems: Partial<Record<Finding['about'], FindingItem>> = {
  credentials: { level: 'problem', kind: 'credentials', action: 'Store valid credentials.' },
  drift: {
    level: 'problem',
    kind: 'drift',
    action: 'Deploy this checkout, or check out the version that is deployed.',
  },
  deployment: { level: 'problem', kind: 'deployment', action: 'Deploy again.' },
  schema: {
    level: 'note',
    kind: 'schema-changed',
    action: 'Check whether readers and the configured columns still fit.',
  },
}

/** The doctor's findings that wait for a person and are not known from runs, each with one command. */
export function deploymentItems(findings: readonly Finding[]): AttentionItem[] {
  return findings.flatMap(({ level, about, text, command }) => {
    const known = findingItems[about]
    if (!known || level !== known.level || command === undefined) return []
    const { kind, action } = known
    return [{ kind, action, entities: [], since: null, evidence: text, command, runId: null }]
  })
}
