import type { IncrementTestbed } from '../test/unit/worker/increment/increment-testbed.ts'
import { prices } from './prices.ts'

interface CallCounts {
  /** Writes and listings of S3, which cost the same. */
  puts: number
  gets: number
  reads: number
  writes: number
  /** Invocations of the publisher, and how many of the calls are its own. */
  invocations: number
  published: number
}

const none: CallCounts = { puts: 0, gets: 0, reads: 0, writes: 0, invocations: 0, published: 0 }

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
    return read(request)
  }
  dynamodb.write = (request: Parameters<typeof write>[0]) => {
    counts.writes++
    return write(request)
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

const callsIn = ({ puts, gets, reads, writes }: CallCounts) => puts + gets + reads + writes

const itemKilobytes = 2
const logKilobytes = 2
/** Time of calls of AWS, one after the other. */
const awsMs = 10

/** Of the publisher, in GiB. */
const publisherMemory = 1769 / 1024

/** `workerMs`: its own time and that of requests to the platform. It waits for the publisher. */
export function costOfIncrement(workerMs: number, counts: CallCounts): number {
  const { puts, gets, reads, writes, invocations, published } = counts
  const seconds = (workerMs + callsIn(counts) * awsMs) / 1000
  const publisherSeconds = (published * awsMs) / 1000
  return (
    (seconds + publisherSeconds * publisherMemory) * prices.lambdaGigabyteSecond +
    (1 + invocations) * prices.lambdaRequest +
    puts * prices.s3Put +
    gets * prices.s3Get +
    reads * prices.dynamoDbReadUnit +
    writes * itemKilobytes * prices.dynamoDbWriteUnit +
    // Only of an increment with records.
    (invocations > 1 ? prices.event : 0) +
    (logKilobytes / 2 ** 20) * prices.logGigabyte
  )
}
