import { expect, it } from 'vitest'

it('runs on the Node that Lambda has, whatever the machine has', () => {
  expect(process.version).toMatch(/^v24\./)
})
