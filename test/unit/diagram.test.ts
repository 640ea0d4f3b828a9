import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { diagramFile, renderDiagram } from '../../scripts/diagram.ts'

test('the picture of the architecture is renderDiagram from its text as it stands', async () => {
  expect(readFileSync(diagramFile, 'utf8'), 'renew it by: npm run diagram').toBe(await renderDiagram())
})
