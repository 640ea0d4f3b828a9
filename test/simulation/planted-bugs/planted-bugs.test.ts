import { expect, it } from 'vitest'
import { invariants } from '../oracle/invariants.ts'
import { type BugName, plantedBugs } from './planted-bugs.ts'
import { seedThatFinds } from './search.ts'
import { sourceWith } from './with-bug.ts'

const names = Object.keys(plantedBugs) as BugName[]

it.each(names)('the text that the planted bug %s replaces occurs once in its file', (name) => {
  expect(() => sourceWith(plantedBugs[name])).not.toThrow()
})

it.each(names)('the simulation finds the planted bug %s', async (name) => {
  expect(await seedThatFinds(name)).toBeDefined()
})

it('every invariant has a planted bug, but the guard that both the comparison and the publisher ask', () => {
  const broken = new Set<string>([
    'deletes-guarded',
    ...Object.values(plantedBugs).map(({ breaks }) => breaks),
  ])
  expect([...broken].toSorted()).toEqual(Object.keys(invariants).toSorted())
})
