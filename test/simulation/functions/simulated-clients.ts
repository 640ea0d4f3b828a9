import { type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import type { Change, Read, TableClient, Write } from '../../../stored/dynamodb/state-table.ts'
import { isNew } from '../../../stored/dynamodb/state-table.ts'
import type { Waker } from '../../../stored/slots/slots.ts'
import type { PlayedSimulation } from '../simulation.ts'
import { InjectedFault, type Invocation, type Outcome } from './invocation.ts'
import { forbidden } from './roles.ts'

type Command = { readonly input: object }
type RunOutcome = 'fine' | 'throttled' | 'refused' | 'lost-before' | 'lost-after' | 'ghost'

/** One call of a store. */
interface StoreCall<T> {
  readonly service: 'dynamodb' | 's3'
  readonly label: string
  readonly kind: 'read' | 'write' | 'conditional-put'
  /** For the trace. */
  readonly shown: () => string
  /** Takes effect. */
  readonly act: () => Outcome<T>
}

/** Tries of one call in the SDK's standard retry mode. */
const sdkTries = 3

/** The state table for one invocation, with a network in between and the SDK's retries. */
export function simulatedTable(sim: PlayedSimulation, invocation: Invocation): TableClient {
  const { dynamodb } = sim
  const call = <T>(request: Read | Write, kind: 'read' | 'write', act: () => T): Promise<T> =>
    throughNetwork(sim, invocation, {
      service: 'dynamodb',
      label: labelOfRequest(request),
      kind,
      shown: () => shownRequest(request),
      act: () => ({ value: act() }),
    })
  return {
    read: (request) => call(request, 'read', () => dynamodb.readNow(request)),
    write: (request) => {
      const released = invocation.deployed.release === 'earlier' ? asEarlierRelease(request) : request
      return call(released, 'write', () => dynamodb.writeNow(released))
    },
  }
}

/** Step Functions, for an invocation that frees slots. */
export function simulatedWaker(sim: PlayedSimulation, invocation: Invocation): Waker {
  const { maxConcurrentSyncs, maxConcurrentScrolls } = invocation.deployed
  return {
    counts: { syncs: maxConcurrentSyncs, scrolls: maxConcurrentScrolls },
    now: invocation.now,
    name: 'simulated',
    wake: (token) =>
      invocation.outside('wake', (settle) => {
        sim.scheduler.after(sim.chance.delayMs(10, 300), () => {
          if (sim.chance.happens(sim.scenario.stores.faults))
            return settle({ value: { kind: 'failed', reason: 'Step Functions is away.' } })
          const isWoken = [...sim.callbacks].some((send) => send(token))
          sim.count(`slot handed over: ${isWoken ? 'woken' : 'gone'}`)
          settle({ value: { kind: isWoken ? 'woken' : 'gone' } })
        })
      }),
  }
}

export function s3Client(sim: PlayedSimulation, invocation: Invocation): S3Client {
  const send = (command: Command): Promise<object> => {
    const isConditional = 'IfMatch' in command.input || 'IfNoneMatch' in command.input
    const isWrite = /^(Put|Delete)/.test(command.constructor.name)
    return throughNetwork(sim, invocation, {
      service: 's3',
      label: labelOf(command),
      kind: isConditional ? 'conditional-put' : isWrite ? 'write' : 'read',
      shown: () => String((command.input as { Key?: string }).Key ?? ''),
      act: () => attempted(() => allowed(sim, invocation, command)),
    })
  }
  return { send } as unknown as S3Client
}

/** S3 does what the role of the function allows. */
function allowed(sim: PlayedSimulation, { id, by }: Invocation, command: Command): object {
  const problem = forbidden(by, command)
  if (problem === undefined) return sim.s3.execute(command)
  sim.oracle.violation('roles-kept', `${id} (${by}) ${problem}`)
  throw s3Error('AccessDenied', 403)
}

function throughNetwork<T>(sim: PlayedSimulation, invocation: Invocation, call: StoreCall<T>): Promise<T> {
  const { chance, scheduler } = sim
  const { service, label, shown } = call
  return invocation.outside<T>(label, (settle) => {
    const act = () => {
      sim.oracle.acting(invocation)
      return call.act()
    }
    const attempt = (tries: number): void => {
      const again = (kind: string): void => {
        sim.count(`${service}: ${kind}`)
        sim.trace(() => `${invocation.id} ${label}: ${kind} (try ${tries})`)
        if (tries >= sdkTries) settle({ error: new InjectedFault(`${label}: ${kind}`) })
        else scheduler.after(chance.delayMs(50, 1_000), () => invocation.whenAwake(() => attempt(tries + 1)))
      }
      const fate = runOutcomeOf(sim, call, tries)
      scheduler.after(chance.delayMs(3, 60), () => {
        if (fate === 'throttled' || fate === 'lost-before') return again(fate)
        if (fate === 'refused') {
          sim.count('s3: conflict')
          sim.trace(() => `${invocation.id} ${label}: conflict`)
          return settle({ error: conflict() })
        }
        if (fate === 'ghost') {
          scheduler.after(chance.delayMs(100, 20_000), act)
          return again(fate)
        }
        const outcome = act()
        sim.trace(() => `${invocation.id} ${label} ${shown()}${shownRefusal(outcome)}`)
        if (fate === 'lost-after') again(fate)
        else settle(outcome)
      })
    }
    attempt(1)
  })
}

/** Writes items with a member that the current release does not know. */
function asEarlierRelease(write: Write): Write {
  return write.kind === 'put' ? { ...write, item: { ...write.item, formerly: 'of use' } } : write
}

function runOutcomeOf(
  { chance, scenario }: PlayedSimulation,
  { label, kind }: Pick<StoreCall<never>, 'label' | 'kind'>,
  tries: number,
): RunOutcome {
  const { faults, ghosts, conflicts, lost } = scenario.stores
  if (kind !== 'read' && chance.happens(ghosts)) return 'ghost'
  if (kind === 'conditional-put' && chance.happens(conflicts)) return 'refused'
  if (tries === 1 && lost?.label === label && chance.happens(lost.rate)) return 'lost-after'
  if (!chance.happens(faults)) return 'fine'
  return chance.pick(
    kind === 'read' ? ['throttled', 'lost-before'] : ['throttled', 'lost-before', 'lost-after', 'lost-after'],
  )
}

/** S3 returns 409 for a conditional PUT while another one is in progress. */
const conflict = () => s3Error('ConditionalRequestConflict', 409)

const s3Error = (name: string, httpStatusCode: number) =>
  new S3ServiceException({ name, $fault: 'client', message: name, $metadata: { httpStatusCode } })

function attempted<T>(take: () => T): Outcome<T> {
  try {
    return { value: take() }
  } catch (error) {
    if (error instanceof S3ServiceException) return { error }
    throw error
  }
}

/** The kind of a call of S3. Scenarios aim faults at kinds. */
export function labelOf(command: Command): string {
  const { Key = '' } = command.input as { Key?: string }
  const kind = command.constructor.name.replace('Command', '')
  if (kind === 'ListObjectsV2') return 'list-objects'
  if (kind === 'DeleteObjects') return 'delete-objects'
  return `${kind === 'PutObject' ? 'put' : 'get'}-${kindOfObject(Key)}`
}

function kindOfObject(key: string): string {
  const isOfChanges = key.startsWith('changes/')
  if (key.startsWith('iceberg/')) return kindOfTableObject(key)
  if (/\/schema[^/]*\.json$/.test(key)) return 'report'
  if (key.startsWith('tables/')) return 'table'
  if (key.endsWith('/latest.json')) return isOfChanges ? 'chain' : 'latest'
  if (key.endsWith('/manifest.json')) return isOfChanges ? 'set' : 'manifest'
  if (key.endsWith('/refused.json')) return 'refused'
  if (key.endsWith('/evidence.json')) return 'evidence'
  if (key.includes('/check-')) return 'check'
  if (key.includes('/proposal-')) return 'proposal'
  return isOfChanges ? 'part' : 'page'
}

function kindOfTableObject(key: string): string {
  const [, , folder = ''] = key.split('/')
  return `table-${folder.replace('.json', '')}`
}

/** The kind of a request of the state table. */
function labelOfRequest(request: Read | Write): string {
  if (request.kind === 'query' && request.pk === 'slots') return 'read-queue'
  if (request.kind === 'query') return request.pk.startsWith('run#') ? 'query-pages' : 'query-runs'
  if (request.kind === 'batch') return 'read-runs'
  const { pk, sk } = request.kind === 'put' ? request.item : request.key
  if (pk === 'slots' && sk.startsWith('waiting#'))
    return request.kind === 'remove' ? 'leave-queue' : 'enter-queue'
  if (pk === 'slots') return request.kind === 'get' ? 'read-slots' : 'write-slots'
  if (pk.startsWith('run#')) return 'commit-page'
  const what = sk === 'entity' ? 'entity' : 'run'
  if (request.kind === 'get') return `read-${what}`
  if (what === 'run') return request.condition === isNew ? 'create-run' : 'write-run'
  return request.kind === 'update' && changesLease(request.change) ? 'write-lease' : 'write-entity'
}

const changesLease = (change: Change) =>
  'set' in change ? 'lease' in change.set : change.remove.includes('lease')

/** The part of a request that the trace shows. */
function shownRequest(request: Read | Write): string {
  if (request.kind === 'update') return JSON.stringify(request.change).slice(0, 160)
  if (request.kind !== 'put') return ''
  return ['sk', 'status', 'attempt', 'suspect', 'page', 'reason']
    .filter((name) => request.item[name] !== undefined)
    .map((name) => `${name}=${String(request.item[name])}`)
    .join(' ')
}

function shownRefusal(outcome: Outcome<unknown>): string {
  if ('error' in outcome) return `: ${(outcome.error as Error).name}`
  const { kind } = outcome.value as { kind?: string }
  return kind === 'refused' ? ': refused' : ''
}
