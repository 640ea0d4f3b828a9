import { expect, it } from 'vitest'
import { meaningOf } from '../../../../console/client/model/glossary.ts'

it.each(['Withheld', 'held', 'tip', 'suspect', 'exact', 'Proof'])('%s is explained in sentences', (word) => {
  expect(meaningOf(word)).toMatch(/^[A-Z].*\.$/)
})

it.each(['Documents', 'constructor'])('%s needs no explanation', (word) => {
  expect(meaningOf(word)).toBeUndefined()
})
