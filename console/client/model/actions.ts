export type ActionName = 'start' | 'increment' | 'cancel' | 'accept'

export interface ActionTarget {
  readonly entity: string
  /** The run in progress, which `cancel` needs. */
  readonly runningRunId: string | undefined
  /** The refused run, which `accept` needs. */
  readonly refusedRunId?: string
}

/** What an operator can do with an entity, and what its confirmation explains. */
export interface Action {
  readonly label: string
  readonly title: (entity: string) => string
  readonly explanation: readonly string[]
  /** The command and the arguments that do the same. */
  readonly args: (target: ActionTarget) => string
  readonly confirm: string
  /** Of the button that asks, and of the one that confirms. */
  readonly buttonClass: '' | 'primary'
  readonly confirmClass: 'primary' | 'danger'
}

export const actions: Readonly<Record<ActionName, Action>> = {
  start: {
    label: 'Start sync',
    title: (entity) => `Start a sync of ${entity}?`,
    explanation: [
      'Scrolls all documents of the entity from the platform and publishes a new snapshot if it is proven complete.',
      'Until then, readers see the current snapshot. The schedule does not change.',
    ],
    args: ({ entity }) => `sync ${entity} --watch`,
    confirm: 'Start sync',
    buttonClass: 'primary',
    confirmClass: 'primary',
  },
  increment: {
    label: 'Start increment',
    title: (entity) => `Start an increment of ${entity}?`,
    explanation: [
      'Asks the platform what has changed since the last increment and publishes it as a change set, within seconds. The snapshot does not change.',
    ],
    args: ({ entity }) => `sync ${entity} --increment --watch`,
    confirm: 'Start increment',
    buttonClass: '',
    confirmClass: 'primary',
  },
  cancel: {
    label: 'Cancel run',
    title: (entity) => `Cancel the run of ${entity}?`,
    explanation: [
      'The worker stops within 5 seconds, and the run publishes nothing.',
      'The published snapshot does not change. The next scheduled run starts from the first page.',
    ],
    args: ({ entity }) => `cancel ${entity}`,
    confirm: 'Cancel run',
    buttonClass: '',
    confirmClass: 'danger',
  },
  accept: {
    label: 'Accept',
    title: (entity) => `Publish what was refused for ${entity}?`,
    explanation: [
      'Publishes exactly what is shown on this page, without another scroll, and records your name in the run, its log line and its event.',
      'Readers lose the missing documents. The change set that follows a snapshot has its own guard.',
    ],
    args: ({ refusedRunId = '' }) => `accept ${refusedRunId}`,
    confirm: 'Publish',
    buttonClass: 'primary',
    confirmClass: 'danger',
  },
}

/** A run in progress can be cancelled; everything else starts a run. */
export function isPossible(name: ActionName, runningRunId: string | undefined): boolean {
  return (name === 'cancel') === (runningRunId !== undefined)
}
