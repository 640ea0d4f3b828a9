import type { AcceptName, StartBody } from '../../contract.ts'

export type ActionName = 'start' | 'cancel' | AcceptName

/** What an operator can do with an entity, and what its confirmation explains. */
export interface Action {
  readonly label: string
  readonly title: (entity: string) => string
  readonly explanation: readonly string[]
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
      'Readers see the published snapshot until then. The schedule does not change.',
    ],
    confirm: 'Start sync',
    buttonClass: 'primary',
    confirmClass: 'primary',
  },
  cancel: {
    label: 'Cancel run',
    title: (entity) => `Cancel the run of ${entity}?`,
    explanation: [
      'The worker stops within 5 seconds, and the run publishes nothing.',
      'The published snapshot does not change. The next scheduled run starts from the first page.',
    ],
    confirm: 'Cancel run',
    buttonClass: '',
    confirmClass: 'danger',
  },
  acceptShrink: {
    label: 'Accept shrink',
    title: (entity) => `Accept fewer documents of ${entity}?`,
    explanation: [
      'Starts a sync that publishes even if the snapshot lost more than maxShrinkPercent of its documents.',
      'Do this only if the documents were deleted on purpose. It applies to this run only; an empty snapshot is still refused.',
    ],
    confirm: 'Start and accept shrink',
    buttonClass: '',
    confirmClass: 'danger',
  },
  acceptDeletes: {
    label: 'Accept deletes',
    title: (entity) => `Accept deletes of ${entity}?`,
    explanation: [
      'Starts a sync whose change set is published even if it deletes more than maxDeletePercent of the documents.',
      'Everyone who follows the change sets will delete these documents. It applies to this run only.',
    ],
    confirm: 'Start and accept deletes',
    buttonClass: '',
    confirmClass: 'danger',
  },
}

/** A run in progress can be cancelled; everything else starts a run. */
export function isPossible(name: ActionName, runningRunId: string | undefined): boolean {
  return (name === 'cancel') === (runningRunId !== undefined)
}

/** The body of the request that starts a sync. */
export function startBodyOf(name: Exclude<ActionName, 'cancel'>): StartBody {
  return name === 'start' ? {} : { [name]: true }
}
