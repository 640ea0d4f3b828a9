import { readFileSync, writeFileSync } from 'node:fs'
import { instance } from '@viz-js/viz'

/** `npm run diagram` renders docs/architecture.dot (Graphviz) to docs/architecture.svg. */
const source = new URL('../docs/architecture.dot', import.meta.url)

export const diagramFile = new URL('../docs/architecture.svg', import.meta.url)

export const renderDiagram = async () =>
  (await instance()).renderString(readFileSync(source, 'utf8'), { format: 'svg' })

if (import.meta.main) writeFileSync(diagramFile, await renderDiagram())
