import type { IncrementTestbed } from '../test/unit/worker/increment/increment-testbed.ts'
import { prices } from './prices.ts'

interface CallCounts {
  /** Writes and listings of S3, which cost the same. */
  puts: number
  gets: number
  reads: number
  writes: number
}

/** Counts the calls of the stores. */
export function countCalls({ s3, dynamodb }: IncrementTestbed) {
  const counts: CallCounts = { puts: 0, gets: 0, reads: 0, writes: 0 }
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
  return {
    counts,
    reset: () => void Object.assign(counts, { puts: 0, gets: 0, reads: 0, writes: 0 }),
  }
}

const itemKilobytes = 2
const logKilobytes = 2
/** Time of calls of AWS, one after the other. */
const awsMs = 10

/** `workerMs`: its own time and that of requests to the platform. */
export function costOfIncrement(workerMs: number, { puts, gets, reads, writes }: CallCounts): number {
  const seconds = (workerMs + (puts + gets + reads + writes) * awsMs) / 1000
  return (
    seconds * prices.lambdaGigabyteSecond +
    prices.lambdaRequest +
    puts * prices.s3Put +
    gets * prices.s3Get +
    reads * prices.dynamoDbReadUnit +
    writes * itemKilobytes * prices.dynamoDbWriteUnit +
    // Only of an increment with records.
    (puts > 2 ? prices.event : 0) +
    (logKilobytes / 2 ** 20) * prices.logGigabyte
  )
}
