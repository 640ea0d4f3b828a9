/** How long the publisher has worked since its server was started. */
export const publisherSecondsFile = 'publisher-seconds.txt'

/** Tells the benchmark that the server is ready. The server ends with the benchmark. */
export function ready(message: object): void {
  process.once('disconnect', () => process.exit())
  process.send?.(message)
}
