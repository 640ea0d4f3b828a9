import type { Write } from '../../../stored/dynamodb/state-table.ts'
import { createStateStore } from '../../../stored/sync-state.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'

/** The state store on a table in memory. */
export class StateTestbed {
  readonly dynamodb = new MemoryDynamoDb()
  readonly state = createStateStore(this.dynamodb, async () => {})

  /** The state store of another process, on the same table. */
  otherProcess() {
    return createStateStore({
      read: async (request) => this.dynamodb.readNow(request),
      write: async (request) => this.dynamodb.writeNow(request),
    })
  }

  /** Loses the response of the next write, so that the client sends it again. */
  repeatNextWrite(): void {
    this.#atNextWrite((request) => this.dynamodb.write(request))
  }

  /** Lets another worker do something between the reads of a task and its first write. */
  beforeNextWrite(task: () => Promise<unknown>): void {
    this.#atNextWrite(task)
  }

  /** Lets another worker do something before each write. */
  beforeEveryWrite(task: () => Promise<unknown>): void {
    this.dynamodb.write = async (request) => {
      await task()
      return this.dynamodb.writeNow(request)
    }
  }

  /** The kinds of the requests that are sent during `task`. */
  async requestsOf(task: () => Promise<unknown>): Promise<string[]> {
    const { read, write } = this.dynamodb
    const kinds: string[] = []
    this.dynamodb.read = async (request) => {
      kinds.push(request.kind)
      return read(request)
    }
    this.dynamodb.write = async (request) => {
      kinds.push(request.kind)
      return write(request)
    }
    await task()
    Object.assign(this.dynamodb, { read, write })
    return kinds
  }

  #atNextWrite(task: (request: Write) => Promise<unknown>): void {
    const { write } = this.dynamodb
    this.dynamodb.write = async (request) => {
      this.dynamodb.write = write
      await task(request)
      return this.dynamodb.write(request)
    }
  }
}
