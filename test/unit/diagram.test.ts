import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { drawn, drawnFile } from '../../scripts/diagram.ts'

test('the picture of the architecture is drawn from its text as it stands', async () => {
  expect(readFileSync(drawnFile, 'utf8'), 'renew it by: npm run diagram').toBe(await drawn())
})
