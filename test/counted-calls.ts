import type { IncrementTestbed } from './unit/worker/increment/increment-testbed.ts'

export interface CallCounts {
  /** Writes and listings of S3, which cost the same. */
  puts: number
  gets: number
  reads: number
  /** Those of a batch read one unit for each key. */
  readUnits: number
  writes: number
  /** One for each KB of the written item. */
  writeUnits: number
  /** Invocations of the publisher, and how many of the calls are its own. */
  invocations: number
  published: number
}

const none: CallCounts = {
  puts: 0,
  gets: 0,
  reads: 0,
  readUnits: 0,
  writes: 0,
  writeUnits: 0,
  invocations: 0,
  published: 0,
}

/** Counts the calls of the stores and of the publisher. */
export function countCalls({ s3, dynamodb, publisher }: IncrementTestbed) {
  const counts = { ...none }
  const [send, read, write] = [s3.send.bind(s3), dynamodb.read.bind(dynamodb), dynamodb.write.bind(dynamodb)]
  s3.send = (command: Parameters<typeof send>[0]) => {
    if (/^(Put|List)/.test(command.constructor.name)) counts.puts++
    else counts.gets++
    return send(command)
  }
  dynamodb.read = (request: Parameters<typeof read>[0]) => {
    counts.reads++
    counts.readUnits += request.kind === 'batch' ? request.keys.length : 1
    return read(request)
  }
  dynamodb.write = async (request: Parameters<typeof write>[0]) => {
    counts.writes++
    const written = await write(request)
    const { pk, sk } = request.kind === 'put' ? request.item : request.key
    counts.writeUnits += Math.ceil(JSON.stringify(dynamodb.item(pk, sk) ?? '').length / 1024)
    return written
  }
  const { publishSet, note } = publisher
  const invoked = async <T>(invoke: () => Promise<T>): Promise<T> => {
    const before = callsIn(counts)
    const result = await invoke()
    counts.invocations++
    counts.published += callsIn(counts) - before
    return result
  }
  publisher.publishSet = (request) => invoked(() => publishSet(request))
  publisher.note = (request) => invoked(() => note(request))
  return { counts, reset: () => void Object.assign(counts, none) }
}

export const callsIn = ({ puts, gets, reads, writes }: CallCounts) => puts + gets + reads + writes
