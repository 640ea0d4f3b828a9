import { type AttentionItem, type AttentionKind, attentionKinds } from './item.ts'

/** Kinds whose items have a common cause or the same fix; a refusal is a decision of its own. */
interface Group {
  readonly evidence: (entities: number) => string
  readonly action: string
  /** Without the program's name; undefined if it is that of each item. */
  readonly command: string | undefined
}

const groups: Partial<Record<AttentionKind, Group>> = {
  'credentials-rejected': {
    evidence: (count) => `The platform rejected the credentials in the last runs of ${count} entities`,
    action: 'Store an app key and app token that may read these entities.',
    command: 'credentials set',
  },
  'run-failed': {
    evidence: (count) => `At least the last two runs of ${count} entities failed`,
    action: 'Look for a common cause first.',
    command: 'doctor',
  },
  'no-snapshot': {
    evidence: (count) => `${count} entities have no snapshot yet`,
    action: 'Start a sync of every enabled entity.',
    command: 'sync --all',
  },
  stale: {
    evidence: (count) => `The snapshots of ${count} entities are too old for their schedules`,
    action: 'Look for a common cause first, then sync them.',
    command: 'doctor',
  },
  'increments-stale': {
    evidence: (count) => `The last increment windows of ${count} entities are too old for their schedules`,
    action: 'Look for a common cause first.',
    command: 'doctor',
  },
  'changes-failed': {
    evidence: (count) => `The published snapshots of ${count} entities have no change set`,
    action: 'Sync again: this repeats the comparison.',
    command: 'sync --all',
  },
  'table-failed': {
    evidence: (count) => `The tables of ${count} entities do not match their published snapshots`,
    action: 'Sync again: this builds each table again.',
    command: 'sync --all',
  },
  'glue-failed': {
    evidence: (count) => `Glue could not be updated for the tables of ${count} entities`,
    action: 'Look for a common cause first.',
    command: 'doctor',
  },
  'not-deployed': {
    evidence: (count) => `${count} entities are configured, but not deployed`,
    action: 'Deploy.',
    command: undefined,
  },
  'schedule-missing': {
    evidence: (count) => `The schedules of ${count} entities are not in the account`,
    action: 'See the command of each entity.',
    command: 'doctor',
  },
  'schedule-changed': {
    evidence: (count) => `The schedules of ${count} entities were changed in the account`,
    action: 'See the command of each entity.',
    command: 'doctor',
  },
}

const maxSingles = 3
const maxNamed = 5

/** The most urgent first. More than three of a kind with a common fix become one item. */
export function attentionList(
  items: readonly AttentionItem[],
  command: (args: string) => string,
): AttentionItem[] {
  return attentionKinds.flatMap((kind) => {
    const own = items.filter((item) => item.kind === kind).toSorted(bySince)
    const group = groups[kind]
    return own.length > maxSingles && group ? [grouped(own, group, command)] : own
  })
}

/** Items without a known time come last. */
const bySince = (one: AttentionItem, other: AttentionItem) => timeOf(one) - timeOf(other)

const timeOf = ({ since }: AttentionItem) => (since === null ? Number.MAX_VALUE : Date.parse(since))

function grouped(
  items: readonly AttentionItem[],
  group: Group,
  command: (args: string) => string,
): AttentionItem {
  const entities = items.flatMap((item) => item.entities)
  const [{ kind, since, command: own }] = items as [AttentionItem]
  const rest = entities.length - maxNamed
  const names = entities.slice(0, maxNamed).join(', ')
  const named = rest > 0 ? `${names} and ${rest} more` : names
  return {
    kind,
    entities,
    since,
    evidence: `${group.evidence(entities.length)}: ${named}.`,
    action: group.action,
    command: group.command === undefined ? own : command(group.command),
    runId: null,
  }
}
