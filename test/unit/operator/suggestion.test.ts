import { expect, it } from 'vitest'
import { suggestion } from '../../../operator/text/suggestion.ts'

it.each<[word: string, names: string[], text: string]>([
  ['cl', ['AD', 'CL'], " Did you mean 'CL'?"],
  ['SYNC', ['sync'], " Did you mean 'sync'?"],
  ['orders', ['ordres', 'order', 'ORDER'], " Did you mean 'order'?"],
  ['abxy', ['abcd'], " Did you mean 'abcd'?"],
  ['axy', ['abc'], ''],
  ['ZZ', ['CL', 'AD'], ''],
  ['CL', [], ''],
])('suggests for %j among %j the most similar name that has at least half of its letters: %j', (...row) => {
  const [word, names, text] = row
  expect(suggestion(word, names)).toBe(text)
})
