/** Like `Promise.all`, but a rejection waits for the other promises, so that nothing continues in the background. */
export async function settleAll<T extends readonly unknown[] | []>(promises: T) {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
