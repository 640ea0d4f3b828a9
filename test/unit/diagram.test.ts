import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { diagrams, renderDiagram, svgFile } from '../../scripts/diagram.ts'

test.each(diagrams)('docs/%s.svg is rendered from its current source', async (name) => {
  expect(readFileSync(svgFile(name), 'utf8'), 'Run npm run check -- diagram, and commit the result.').toBe(
    await renderDiagram(name),
  )
})
