import { nextClockTime } from '../../../operator/text/clock-time.ts'
import { shellWord } from '../../../operator/text/shell-word.ts'
import type { RefusalName } from '../../contract/review.ts'
import { api } from '../request.ts'
import { shownMinute, zoneName } from './format.ts'
import { shownZone } from './shown-zone.ts'

export type ActionName =
  | 'start'
  | 'increment'
  | 'cancel'
  | 'accept'
  | 'pause'
  | 'resume'
  | 'republish'
  | 'verify'
  | 'repair'
  | 'purge'

export interface ActionTarget {
  readonly entity: string
  /** The run in progress, which `cancel` needs. */
  readonly runningRunId?: string | undefined
  /** The run that `accept` and `republish` are about. */
  readonly runId?: string
  /** What `accept` publishes. */
  readonly refusal?: RefusalName
  /** Whether `accept` asks about the change set of a snapshot too. */
  readonly mayAcceptChanges?: boolean
  /** The clock of the deployment, by which `pause` finds the next time of day. */
  readonly now?: string
}

/** What a person enters into a confirmation. */
export interface Entered extends Readonly<Record<FieldName, string>> {
  readonly withChanges: boolean
}
export const nothingEntered: Entered = { reason: '', until: '', name: '', withChanges: false }
export type FieldName = 'reason' | 'until' | 'name'

interface Field {
  readonly name: FieldName
  readonly label: (entity: string) => string
  readonly placeholder: string
}

/** What an operator can do with an entity, and what its confirmation explains. */
export interface Action {
  readonly label: string
  readonly title: (entity: string) => string
  readonly explanation: readonly string[]
  /** The command and the arguments that do the same. */
  readonly args: (target: ActionTarget, entered: Entered) => string
  /** What is sent. */
  readonly request: (target: ActionTarget, entered: Entered) => readonly [path: string, body?: object]
  readonly fields?: readonly Field[]
  /** Whether a confirmation first shows what the action would do. */
  readonly hasPreview?: true
  /** Of the button that confirms; the label if absent. */
  readonly confirm?: string
  /** Of the button that asks. */
  readonly buttonClass?: 'primary'
  /** Of the one that confirms; `primary` if absent. */
  readonly confirmClass?: 'danger'
}

export const actions: Readonly<Record<ActionName, Action>> = {
  start: {
    label: 'Start sync',
    title: (entity) => `Start a sync of ${entity}?`,
    explanation: [
      'Scrolls all documents of the entity from the platform and publishes a new snapshot if it is proven complete.',
      'Until then, nothing changes for readers. The schedule does not change.',
    ],
    args: ({ entity }) => `sync ${entity} --watch`,
    request: ({ entity }) => [api`/entities/${entity}/start`],
    buttonClass: 'primary',
  },
  increment: {
    label: 'Start increment',
    title: (entity) => `Start an increment of ${entity}?`,
    explanation: [
      'Asks the platform what has changed since the last increment and publishes it as a change set, within seconds. The snapshot does not change.',
    ],
    args: ({ entity }) => `sync ${entity} --increment --watch`,
    request: ({ entity }) => [api`/entities/${entity}/start`, { increment: true }],
  },
  cancel: {
    label: 'Cancel run',
    title: (entity) => `Cancel the run of ${entity}?`,
    explanation: [
      'The worker stops within 5 seconds, and the run publishes nothing.',
      'The published snapshot does not change. The next scheduled run starts from the first page.',
    ],
    args: ({ entity }) => `cancel ${entity}`,
    request: ({ entity, runningRunId = '' }) => [api`/entities/${entity}/runs/${runningRunId}/cancel`],
    confirmClass: 'danger',
  },
  accept: {
    label: 'Accept',
    title: (entity) => `Publish what was refused for ${entity}?`,
    explanation: [
      'Publishes exactly what is shown on this page, without another scroll, and records your name in the run, its log line and its event.',
      'Readers lose the missing documents. The change set that follows a snapshot has its own guard.',
    ],
    args: ({ runId = '' }, { withChanges }) => `accept ${runId}${withChanges ? ' --with-changes' : ''}`,
    request: ({ entity, runId = '', refusal }, { withChanges }) => [
      api`/entities/${entity}/runs/${runId}/accept`,
      { withChanges, ...refusal },
    ],
    confirm: 'Publish',
    buttonClass: 'primary',
    confirmClass: 'danger',
  },
  pause: {
    label: 'Pause',
    title: (entity) => `Pause ${entity}?`,
    explanation: [
      'What schedules start is skipped until the end of the pause, or until someone resumes the entity.',
      'A running sync continues, and you can start syncs here. Everyone sees who paused it, and why.',
    ],
    args: ({ entity }, { until, reason }) =>
      [`pause ${entity}`, ...option('--until', until), ...option('--reason', reason)].join(' '),
    request: ({ entity }, { until, reason }) => [api`/entities/${entity}/pause`, { until, reason }],
    fields: [
      {
        name: 'until',
        label: () => `Until: 06:00 (${zoneName()}), 8h or 2d; without an end if empty`,
        placeholder: '06:00',
      },
      { name: 'reason', label: () => 'Reason', placeholder: 'migration' },
    ],
  },
  resume: {
    label: 'Resume',
    title: (entity) => `Resume ${entity}?`,
    explanation: [
      'Its schedules start syncs again when they are due.',
      'To start one now, use the button that starts a sync.',
    ],
    args: ({ entity }) => `resume ${entity}`,
    request: ({ entity }) => [api`/entities/${entity}/resume`],
  },
  republish: {
    label: 'Republish',
    title: (entity) => `Republish this snapshot of ${entity}?`,
    explanation: [
      'Publishes the same documents in a new run, without a request to the platform. The change set that follows reverts what has changed since.',
      'The next full sync publishes what the platform has at that time. To keep this snapshot for longer, pause the entity first.',
    ],
    args: ({ runId = '' }) => `republish ${runId}`,
    request: ({ entity, runId = '' }) => [api`/entities/${entity}/snapshots/${runId}/republish`],
    hasPreview: true,
    confirmClass: 'danger',
  },
  verify: {
    label: 'Verify',
    title: (entity) => `Verify the published snapshot of ${entity}?`,
    explanation: [
      'Reads every page, and what change sets need, and compares them with their hashes and counts. Changes nothing.',
    ],
    args: ({ entity }) => `verify ${entity}`,
    request: ({ entity }) => [api`/entities/${entity}/verify`, { repair: false }],
  },
  repair: {
    label: 'Repair',
    title: (entity) => `Verify and repair the published snapshot of ${entity}?`,
    explanation: [
      'Restores the newest intact version of each damaged or missing object: one with the SHA-256 of the manifest. This loses nothing.',
    ],
    args: ({ entity }) => `verify ${entity} --repair`,
    request: ({ entity }) => [api`/entities/${entity}/verify`, { repair: true }],
  },
  purge: {
    label: 'Delete the data',
    title: (entity) => `Delete the data of ${entity} for good?`,
    explanation: ['It cannot be restored, not even from older versions.'],
    args: ({ entity }) => `purge ${entity}`,
    request: ({ entity }, { name }) => [api`/orphans/${entity}/purge`, { name }],
    fields: [{ name: 'name', label: (entity) => `Enter ${entity} to delete its data`, placeholder: '' }],
    hasPreview: true,
    confirm: 'Delete',
    confirmClass: 'danger',
  },
}

/** What was entered as every machine understands it: a time of day is one in the zone that the page shows. */
export function resolved(entered: Entered, { now }: ActionTarget): Entered {
  const time = now && nextClockTime(entered.until.trim(), Date.parse(now), shownZone())
  return time ? { ...entered, until: new Date(time).toISOString() } : entered
}

/** When a pause ends that was entered as a time of day; empty for another one. */
export function endText(entered: Entered, target: ActionTarget): string {
  const { until } = resolved(entered, target)
  return until === entered.until ? '' : `It ends ${shownMinute(until)} (${until.slice(11, 16)} UTC).`
}

/** The question about the change set of a refused snapshot. */
export const withChangesLabel =
  'Also publish its change set, if it deletes only documents that are missing here'

/** An option with the value that was typed, quoted for a shell if it needs that. */
function option(name: string, typed: string): string[] {
  const value = typed.trim()
  return value === '' ? [] : [name, shellWord(value)]
}

const startsRun: ReadonlySet<ActionName> = new Set(['start', 'increment', 'accept', 'republish'])

/** A run in progress can be cancelled, and no other one can be started. */
export function isPossible(name: ActionName, runningRunId: string | undefined): boolean {
  if (name === 'cancel') return runningRunId !== undefined
  return runningRunId === undefined || !startsRun.has(name)
}

/** Deleting needs the name of the entity. */
export const isConfirmed = (name: ActionName, { entity }: ActionTarget, entered: Entered) =>
  name !== 'purge' || entered.name === entity
