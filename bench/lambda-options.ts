/** The options that Lambda's start script passes to Node: 10% of the memory for new objects, in two halves. */
export function lambdaOptions(memoryMegabytes: number): string[] {
  const newSpace = Math.floor(memoryMegabytes / 10)
  return [
    `--max-old-space-size=${memoryMegabytes - newSpace}`,
    `--max-semi-space-size=${Math.floor(newSpace / 2)}`,
  ]
}
