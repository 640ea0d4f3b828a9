import { type DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb'
import { type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import type { Simulation } from '../simulation.ts'
import type { Item } from '../stores/dynamodb-expressions.ts'
import { InjectedFault, type Invocation, type Outcome } from './invocation.ts'

type Command = { readonly input: object }
type RunOutcome = 'fine' | 'throttled' | 'refused' | 'lost-before' | 'lost-after' | 'ghost'

/** Tries of one call in the SDK's standard retry mode. */
const sdkTries = 3

/** The DynamoDB client of one invocation, with a network in between and the SDK's retries. */
export function dynamodbClient(sim: Simulation, invocation: Invocation): DynamoDBClient {
  return client(sim, invocation, 'dynamodb') as unknown as DynamoDBClient
}

export function s3Client(sim: Simulation, invocation: Invocation): S3Client {
  return client(sim, invocation, 's3') as unknown as S3Client
}

function client(sim: Simulation, invocation: Invocation, service: 'dynamodb' | 's3') {
  const { chance, scheduler } = sim
  return {
    send: (sent: Command): Promise<object> => {
      const released = invocation.deployed.release === 'earlier' ? asEarlierRelease(sent) : sent
      const command = sim.plant?.command?.(released) ?? released
      const label = labelOf(command)
      const received = (outcome: Outcome<object>) => sim.plant?.received?.(command, outcome) ?? outcome
      return invocation.outside<object>(label, (settle) => {
        const take = () => {
          sim.oracle.acting(invocation)
          return sim[service].execute(command)
        }
        const attempt = (tries: number): void => {
          const again = (kind: string): void => {
            sim.count(`${service}: ${kind}`)
            sim.trace(() => `${invocation.id} ${label}: ${kind} (try ${tries})`)
            if (tries >= sdkTries) settle({ error: new InjectedFault(`${label}: ${kind}`) })
            else
              scheduler.after(chance.delayMs(50, 1_000), () => invocation.whenAwake(() => attempt(tries + 1)))
          }
          const fate = runOutcomeOf(sim, command, tries)
          scheduler.after(chance.delayMs(3, 60), () => {
            if (fate === 'throttled' || fate === 'lost-before') return again(fate)
            if (fate === 'refused') {
              sim.count('s3: conflict')
              sim.trace(() => `${invocation.id} ${label}: conflict`)
              return settle(received({ error: conflict() }))
            }
            if (fate === 'ghost') {
              scheduler.after(chance.delayMs(100, 20_000), () => attempted(take))
              return again(fate)
            }
            const outcome = attempted(take)
            sim.trace(
              () =>
                `${invocation.id} ${label}${describe(command)}${'error' in outcome ? `: ${(outcome.error as Error).name}` : ''}`,
            )
            if (fate === 'lost-after') again(fate)
            else settle(received(outcome))
          })
        }
        attempt(1)
      })
    },
  }
}

/** Its items have a member that the current release does not know. */
function asEarlierRelease(command: Command): Command {
  const { Item: item } = command.input as { Item?: Item }
  if (item) Object.assign(command.input, { Item: { ...item, formerly: { S: 'of use' } } })
  return command
}

function runOutcomeOf(sim: Simulation, command: Command, tries: number): RunOutcome {
  const { chance, scenario } = sim
  const { faults, ghosts, conflicts, lost } = scenario.stores
  const write = isWrite(command)
  if (write && chance.happens(ghosts)) return 'ghost'
  if (isConditional(command) && chance.happens(conflicts)) return 'refused'
  if (tries === 1 && lost?.label === labelOf(command) && chance.happens(lost.rate)) return 'lost-after'
  if (!chance.happens(faults)) return 'fine'
  return chance.pick(
    write ? ['throttled', 'lost-before', 'lost-after', 'lost-after'] : ['throttled', 'lost-before'],
  )
}

/** S3 answers 409 to a conditional PUT while another one is in progress. */
const conflict = () =>
  new S3ServiceException({
    name: 'ConditionalRequestConflict',
    $fault: 'client',
    message: 'ConditionalRequestConflict',
    $metadata: { httpStatusCode: 409 },
  })

function attempted<T>(take: () => T): Outcome<T> {
  try {
    return { value: take() }
  } catch (error) {
    if (error instanceof DynamoDBServiceException || error instanceof S3ServiceException) return { error }
    throw error
  }
}

const isConditional = ({ input }: Command) => 'IfMatch' in input || 'IfNoneMatch' in input
const isWrite = (command: object) => /^(Put|Update|Delete)/.test(command.constructor.name)

/** The kind of a call. Scenarios aim faults at kinds. */
export function labelOf(command: Command): string {
  const input = command.input as {
    Key?: string | { pk: { S: string }; sk: { S: string } }
    Item?: { pk: { S: string }; sk: { S: string } }
    UpdateExpression?: string
    ConditionExpression?: string
    ExpressionAttributeValues?: Record<string, { S?: string }>
  }
  const kind = command.constructor.name.replace('Command', '')
  if (kind === 'Query') {
    const pk = input.ExpressionAttributeValues?.[':pk']?.S ?? ''
    return pk.startsWith('run#') ? 'query-pages' : 'query-runs'
  }
  if (kind === 'ListObjectsV2') return 'list-objects'
  if (kind === 'DeleteObjects') return 'delete-objects'
  if (typeof input.Key === 'string')
    return `${kind === 'PutObject' ? 'put' : 'get'}-${kindOfObject(input.Key)}`
  const { pk, sk } = input.Item ?? input.Key ?? { pk: { S: '' }, sk: { S: '' } }
  if (pk.S === 'slots') return kind === 'GetItem' ? 'read-slots' : 'write-slots'
  if (pk.S.startsWith('run#')) return 'commit-page'
  const what = sk.S === 'entity' ? 'entity' : 'run'
  if (kind === 'GetItem') return `read-${what}`
  if (what === 'run')
    return input.ConditionExpression?.includes('attribute_not_exists(pk)') ? 'create-run' : 'write-run'
  return input.UpdateExpression?.includes('#lease') ? 'write-lease' : 'write-entity'
}

function kindOfObject(key: string): string {
  const isOfChanges = key.startsWith('changes/')
  if (key.startsWith('tables/')) return 'table'
  if (key.endsWith('/latest.json')) return isOfChanges ? 'chain' : 'latest'
  if (key.endsWith('/manifest.json')) return isOfChanges ? 'set' : 'manifest'
  return isOfChanges ? 'part' : 'page'
}

/** The part of a command that the trace shows. */
function describe({ input }: Command): string {
  const { Item, Key, ExpressionAttributeValues } = input as {
    Item?: Record<string, { S?: string; N?: string; BOOL?: boolean }>
    Key?: unknown
    ExpressionAttributeValues?: unknown
  }
  if (typeof Key === 'string') return ` ${Key}`
  if (Item) {
    const shown = ['sk', 'status', 'attempt', 'suspect', 'page', 'reason'].flatMap((name) => {
      const value = Item[name]
      return value ? [`${name}=${value.S ?? value.N ?? value.BOOL}`] : []
    })
    return ` ${shown.join(' ')}`
  }
  return ExpressionAttributeValues ? ` ${JSON.stringify(ExpressionAttributeValues).slice(0, 160)}` : ''
}
