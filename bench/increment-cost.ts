import { type CallCounts, callsIn } from '../test/counted-calls.ts'
import { prices } from './prices.ts'

const logKilobytes = 2
/** Time of calls of AWS, one after the other. */
const awsMs = 10

/** Of the publisher, in GiB. */
const publisherMemory = 1769 / 1024

/** `workerMs`: its own time and that of requests to the platform. It waits for the publisher. */
export function costOfIncrement(workerMs: number, counts: CallCounts): number {
  const { puts, gets, reads, writeUnits, invocations, published } = counts
  const seconds = (workerMs + callsIn(counts) * awsMs) / 1000
  const publisherSeconds = (published * awsMs) / 1000
  return (
    (seconds + publisherSeconds * publisherMemory) * prices.lambdaGigabyteSecond +
    (1 + invocations) * prices.lambdaRequest +
    puts * prices.s3Put +
    gets * prices.s3Get +
    reads * prices.dynamoDbReadUnit +
    writeUnits * prices.dynamoDbWriteUnit +
    // Only of an increment with records.
    (invocations > 1 ? prices.event : 0) +
    (logKilobytes / 2 ** 20) * prices.logGigabyte
  )
}
