/** The message for a key that does not exist, with the most similar of the existing keys. */
export function unknownKeyMessage(key: string, keys: readonly string[]): string {
  const [closest] = keys
    .map((name) => ({ name, distance: distance(key.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 3)))
    .sort((a, b) => a.distance - b.distance)
  return closest
    ? `unknown key. Did you mean '${closest.name}'?`
    : `unknown key. The valid keys are ${keys.join(', ')}`
}

/** Part of a key (`rate` for `ratePerSecond`) counts as one typing error. */
const distance = (key: string, name: string): number =>
  key.length >= 4 && name.includes(key) ? 1 : levenshteinDistance(key, name)

export function levenshteinDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
