import { levenshteinDistance } from '../../functions/runtime/settings-schema/key-suggestion.ts'

/** ` Did you mean 'sync'?`, or nothing if no name is similar. Upper and lower case do not count. */
export function suggestion(word: string, names: readonly string[]): string {
  const [closest] = names
    .map((name) => ({ name, distance: levenshteinDistance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.floor(name.length / 2))
    .toSorted((one, other) => one.distance - other.distance)
  return closest ? ` Did you mean '${closest.name}'?` : ''
}
