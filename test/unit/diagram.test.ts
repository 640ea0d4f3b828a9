import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { diagramFile, renderDiagram } from '../../scripts/diagram.ts'

test('the architecture diagram is rendered from its source', async () => {
  expect(readFileSync(diagramFile, 'utf8'), 'Run npm run diagram.').toBe(await renderDiagram())
})
