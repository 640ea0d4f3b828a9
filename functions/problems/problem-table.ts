import {
  changedSchema,
  documentsWithoutId,
  erasedChain,
  failedTable,
  stoppedChain,
  unreadableData,
  unusedPartitions,
} from './data-problems.ts'
import { erasureFactsOf, incompleteErasure, waitingErasure } from './erasure-problems.ts'
import type { EntityFacts } from './facts.ts'
import {
  failedIncrement,
  invisibleChanges,
  missedChanges,
  skippedIncrement,
  staleIncrements,
} from './increment-problems.ts'
import { type Found, type ProblemStep, syncMany } from './problem.ts'
import { failedRun, missingSnapshot, refusedRun, rejectedCredentials, staleSnapshot } from './run-problems.ts'
import {
  changedSchedule,
  missingSchedule,
  notDeployed,
  paused,
  undeployedSchedule,
} from './schedule-problems.ts'

export interface ProblemKindRow {
  /** Decides whether an entity has it; absent from what only a look at the deployment as a whole shows. */
  readonly find?: (facts: EntityFacts) => Found | undefined
  /** What is shown of many entities that have it; absent if each is a decision of its own. */
  readonly many?: {
    readonly evidence: (entities: number) => string
    /** Whether the evidence of each is shown, in place of the names. */
    readonly isEach?: true
    readonly action: string
    /** Absent if it is that of each problem. */
    readonly step?: ProblemStep | ((entities: readonly string[]) => ProblemStep)
  }
}

const askDoctor = { kind: 'doctor' } as const
const commonCause = { action: 'Look for a common cause first.', step: askDoctor } as const

/** Every kind of problem, the most urgent first. A new kind is a row here. */
const problemTable = {
  deployment: {},
  credentials: {
    find: rejectedCredentials,
    many: {
      evidence: (count) => `The platform rejected the credentials in the last runs of ${count} entities`,
      action:
        'Store an app key and app token that may read these entities: this offers to sync them. If they have been stored since, only sync them.',
    },
  },
  'encryption-key': {},
  'not-deployed': {
    find: notDeployed,
    many: { evidence: (count) => `${count} entities are configured, but not deployed`, action: 'Deploy.' },
  },
  upstream: {},
  'platform-away': {},
  'unreadable-data': { find: unreadableData },
  'run-refused': { find: refusedRun },
  'changes-refused': { find: (facts) => stoppedChain(facts, 'refused') },
  'run-failed': {
    find: failedRun,
    many: { evidence: (count) => `The last runs of ${count} entities failed`, ...commonCause },
  },
  'no-snapshot': {
    find: missingSnapshot,
    many: {
      evidence: (count) => `${count} entities have no snapshot yet`,
      action: 'Start their syncs.',
      step: syncMany,
    },
  },
  stale: {
    find: staleSnapshot,
    many: {
      evidence: (count) => `The snapshots of ${count} entities are too old for their schedules`,
      ...commonCause,
    },
  },
  'increments-stale': {
    find: staleIncrements,
    many: {
      evidence: (count) => `The last increment windows of ${count} entities are too old for their schedules`,
      ...commonCause,
    },
  },
  'increments-missed': { find: missedChanges },
  'changes-failed': {
    find: (facts) => stoppedChain(facts, 'failed'),
    many: {
      evidence: (count) => `The published snapshots of ${count} entities have no change set`,
      action: 'Sync again: this repeats the comparison.',
      step: syncMany,
    },
  },
  'changes-erased': {
    find: erasedChain,
    many: {
      evidence: (count) => `Readers that begin to follow the change sets of ${count} entities receive 410`,
      action: 'Start full syncs: the change sets start again with their snapshots.',
      step: syncMany,
    },
  },
  'changes-without-snapshot': {},
  'table-failed': {
    find: failedTable,
    many: {
      evidence: (count) => `The tables of ${count} entities do not match their published snapshots`,
      action: 'Sync again: this builds each table again.',
      step: syncMany,
    },
  },
  'erasure-waits': { find: (facts) => waitingErasure(erasureFactsOf(facts)) },
  'erasure-incomplete': {
    find: (facts) => incompleteErasure(erasureFactsOf(facts)),
    many: {
      evidence: (count) => `${count} entities have had no complete pass of erasure for two days`,
      ...commonCause,
    },
  },
  'schedule-missing': {
    find: missingSchedule,
    many: {
      evidence: (count) => `The schedules of ${count} entities are not in the account`,
      action: 'See the command of each entity.',
      step: askDoctor,
    },
  },
  'schedule-changed': {
    find: changedSchedule,
    many: {
      evidence: (count) => `The schedules of ${count} entities were changed in the account`,
      action: 'See the command of each entity.',
      step: askDoctor,
    },
  },
  'schedule-not-deployed': {
    find: undeployedSchedule,
    many: {
      evidence: (count) => `The schedules of ${count} entities differ from the configuration`,
      action: 'Deploy.',
    },
  },
  alerts: {},
  'alert-failed': {},
  'waiting-not-woken': {},
  drift: {},
  'increments-failed': {
    find: failedIncrement,
    many: { evidence: (count) => `The last increments of ${count} entities failed`, ...commonCause },
  },
  'increments-skipped': {
    find: skippedIncrement,
    many: { evidence: (count) => `The last increments of ${count} entities were skipped`, ...commonCause },
  },
  'increments-invisible': { find: invisibleChanges },
  'schema-changed': { find: changedSchema },
  'documents-without-id': { find: documentsWithoutId },
  'partitions-unused': { find: unusedPartitions },
  paused: {
    find: paused,
    many: {
      evidence: (count) => `${count} entities are paused`,
      isEach: true,
      action: 'Resume each when syncs are wanted again.',
    },
  },
  'orphaned-data': {},
} as const satisfies Record<string, ProblemKindRow>

export type ProblemKind = keyof typeof problemTable

export const problemRows: Readonly<Record<ProblemKind, ProblemKindRow>> = problemTable
export const problemKinds = Object.keys(problemTable) as ProblemKind[]
