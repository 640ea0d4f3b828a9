import { follow } from './follow.ts'

/** Counts the changes of each set in its log. Replace both functions by yours. */
export const handler = follow({
  begin: async (records) => console.log({ begin: await count(records) }),
  apply: async (records) => console.log({ changes: await count(records) }),
})

async function count(records: AsyncIterable<string>): Promise<number> {
  let found = 0
  for await (const _ of records) found++
  return found
}
