import {
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { createStateStore } from '../../../functions/state/sync-state.aws.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'

/** The state store on a table in memory. */
export class StateTestbed {
  readonly dynamodb = new MemoryDynamoDb()
  readonly state = createStateStore('state', this.dynamodb as unknown as DynamoDBClient, async () => {})

  /** The state store of another process, on the same table. */
  otherProcess() {
    return createStateStore('state', {
      send: (command: object) => this.dynamodb.execute(command),
    } as unknown as DynamoDBClient)
  }

  /** Loses the answer of the next write, so that the client sends it again. */
  repeatNextWrite(): void {
    this.#atNextWrite((send, command) => send(command))
  }

  /** Lets another worker do something between the reads of a task and its first write. */
  beforeNextWrite(task: () => Promise<unknown>): void {
    this.#atNextWrite(task)
  }

  /** Lets another worker do something before each write. */
  beforeEveryWrite(task: () => Promise<unknown>): void {
    const send = this.dynamodb.send.bind(this.dynamodb)
    this.dynamodb.send = async (command) => {
      if (isWrite(command)) await task()
      return send(command)
    }
  }

  /** The commands that are sent during `task`. */
  async commandsOf(task: () => Promise<unknown>): Promise<string[]> {
    const send = this.dynamodb.send.bind(this.dynamodb)
    const commands: string[] = []
    this.dynamodb.send = async (command) => {
      commands.push(command.constructor.name)
      return send(command)
    }
    await task()
    this.dynamodb.send = send
    return commands
  }

  #atNextWrite(task: (send: MemoryDynamoDb['send'], command: object) => Promise<unknown>): void {
    const send = this.dynamodb.send.bind(this.dynamodb)
    this.dynamodb.send = async (command) => {
      if (isWrite(command)) {
        this.dynamodb.send = send
        await task(send, command)
      }
      return send(command)
    }
  }
}

const writes = [PutItemCommand, UpdateItemCommand, DeleteItemCommand]
const isWrite = (command: object) => writes.some((write) => command instanceof write)
