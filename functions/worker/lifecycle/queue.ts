/**
 * Runs one task after the other, in the order of the calls. When one fails, all later ones fail with its error: its
 * write may have taken effect, and the next one would overwrite it.
 */
export function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result
    last.catch(() => {})
    return result
  }
}
