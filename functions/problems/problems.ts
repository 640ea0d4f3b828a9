import type { NotWoken } from '../../stored/slots/slots.ts'
import { shortened } from '../runtime/format.ts'
import { listed, type OrphanedEntity, orphanedData } from './data-problems.ts'
import { type ErasureFacts, incompleteErasure, waitingErasure } from './erasure-problems.ts'
import type { EntityFacts } from './facts.ts'
import type { AlertFailure } from './look-items.ts'
import type { Found, FoundProblem, Problem } from './problem.ts'
import { commandOf, maxText, type ProblemStep } from './problem.ts'
import { type ProblemKind, problemKinds, problemRows } from './problem-table.ts'
import { platformAway } from './run-problems.ts'

export interface Orphan extends OrphanedEntity {
  readonly erasure: ErasureFacts
}

/** What a look has read of a deployment. */
export interface Facts {
  readonly entities: readonly EntityFacts[]
  readonly orphans: readonly Orphan[]
  readonly alertFailures: readonly AlertFailure[]
  readonly notWoken: readonly NotWoken[]
  /** Epoch milliseconds. */
  readonly now: number
}

/** Every problem that the facts show, in the order in which they are shown. */
export function problemsOf({ entities, orphans, alertFailures, notWoken }: Facts): FoundProblem[] {
  const ofDeployment: Kinds = [
    ['platform-away', platformAway(entities)],
    ['alert-failed', failedAlerts(alertFailures)],
    ['waiting-not-woken', waitingRuns(notWoken)],
  ]
  return inOrder([
    ...present(ofDeployment),
    ...entities.flatMap(entityProblems),
    ...orphans.flatMap(orphanProblems),
  ])
}

type Kinds = readonly (readonly [kind: ProblemKind, found: Found | undefined])[]

const present = (kinds: Kinds, entity?: string): FoundProblem[] =>
  kinds.flatMap(([kind, found]) => (found ? [problemOf(kind, found, entity)] : []))

/** What the doctor explains, since the first of these failures. */
function failuresFound<F extends { readonly since: string }>(
  failures: readonly F[],
  evidenceOf: (failure: F) => string,
  action: string,
): Found | undefined {
  const [since] = failures.map((failure) => failure.since).toSorted()
  if (since === undefined) return undefined
  const evidence = failures.map(evidenceOf).join(' ')
  return { level: 'problem', since, evidence, action, step: { kind: 'doctor' } }
}

const failedAlerts = (failures: readonly AlertFailure[]) =>
  failuresFound(
    failures,
    ({ receiver, reason }) => `A message to ${receiver} was not delivered. ${reason}`,
    'See "Alert not delivered" in the runbook. It is sent again.',
  )

const waitingRuns = (notWoken: readonly NotWoken[]) =>
  failuresFound(
    notWoken,
    ({ by, runId, reason }) =>
      `The function ${by} could not wake run ${runId}, which waits for a slot: ${reason}`,
    'Allow states:SendTaskSuccess on the state machine to the role of the function, and check its route to Step Functions. Until then, runs wait about an hour until they look for a slot themselves.',
  )

/** What concerns the data of an entity that is not configured. */
function orphanProblems({ erasure, ...orphan }: Orphan): FoundProblem[] {
  const kinds: Kinds = [
    ['erasure-waits', waitingErasure(erasure)],
    ['erasure-incomplete', incompleteErasure(erasure)],
    ['orphaned-data', orphanedData(orphan)],
  ]
  return present(kinds, orphan.entity)
}

export const orphanKinds: ReadonlySet<string> = new Set<ProblemKind>([
  'erasure-waits',
  'erasure-incomplete',
  'orphaned-data',
])

export const problemOf = (kind: ProblemKind, found: Found, entity?: string): FoundProblem => ({
  kind,
  ...found,
  ...(found.step && { command: commandOf(found.step) }),
  evidence: shortened(found.evidence, maxText),
  ...(entity !== undefined && { entity }),
})

function entityProblems(facts: EntityFacts): FoundProblem[] {
  const kinds = problemKinds.map((kind) => [kind, problemRows[kind].find?.(facts)] as const)
  const found = present(kinds, facts.settings.name)
  // No sync of an entity that is not deployed can start, so nothing else can be resolved before.
  const undeployed = found.filter(({ kind }) => kind === 'not-deployed')
  return undeployed.length > 0 ? undeployed : found
}

/** Problems before notes, the most urgent kind first, the oldest of a kind first. */
export function inOrder<P extends Problem>(problems: readonly P[]): P[] {
  const rank = ({ level, kind }: Problem) =>
    (level === 'note' ? problemKinds.length : 0) + problemKinds.indexOf(kind as ProblemKind)
  const time = ({ since }: Problem) => (since === null ? Number.MAX_VALUE : Date.parse(since))
  return problems.toSorted((one, other) => rank(one) - rank(other) || time(one) - time(other))
}

/** What is shown of a problem, or of the same problem of many entities. */
export interface ShownProblem extends Omit<FoundProblem, 'entity'> {
  /** Empty if it concerns the deployment as a whole. */
  readonly entities: readonly string[]
}

const maxSingles = 3

/** More than three entities with the same kind of problem, which has a common cause or fix, are shown as one. */
export function grouped(problems: readonly FoundProblem[]): ShownProblem[] {
  const groupOf = ({ kind, level, entity }: FoundProblem) => `${entity === undefined} ${level} ${kind}`
  const groups = Map.groupBy(problems, groupOf)
  return [...groups.values()].flatMap((own) => {
    const [first] = own as [FoundProblem]
    // Another version may have stored a kind that this one does not have.
    const { many } = (problemRows as Partial<typeof problemRows>)[first.kind as ProblemKind] ?? {}
    if (!many || first.entity === undefined || own.length <= maxSingles) return own.map(shown)
    const { entities: _entities, ...common } = shown(first)
    const entities = own.flatMap(({ entity }) => entity ?? [])
    const what = many.isEach ? own.map(({ evidence }) => evidence).join(' ') : `${listed(entities)}.`
    const evidence = shortened(`${many.evidence(entities.length)}: ${what}`, maxText)
    const step = typeof many.step === 'function' ? many.step(entities) : many.step
    const action = `${many.action}${restText(entities, step)}`
    return [{ ...common, action, ...(step && { step, command: commandOf(step) }), evidence, entities }]
  })
}

function restText(entities: readonly string[], step: ProblemStep | undefined): string {
  if (step?.kind !== 'sync-many' || step.entities.length === entities.length) return ''
  const named = step.entities.length
  return ` The command starts the first ${named}: look again for the other ${entities.length - named}.`
}

const shown = ({ entity, ...problem }: FoundProblem): ShownProblem => ({
  ...problem,
  entities: entity === undefined ? [] : [entity],
})
