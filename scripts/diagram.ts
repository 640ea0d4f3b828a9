import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { instance } from '@viz-js/viz'

/** `npm run check -- diagram` renders docs/<name>.dot (Graphviz) to docs/<name>.svg. */
export const diagrams = ['overview', 'architecture', 'chain'] as const
type Diagram = (typeof diagrams)[number]

const file = (name: Diagram, extension: 'dot' | 'svg') =>
  new URL(`../docs/${name}.${extension}`, import.meta.url)

export const svgFile = (name: Diagram) => file(name, 'svg')

export async function renderDiagram(name: Diagram): Promise<string> {
  const viz = await instance()
  return viz.renderString(readFileSync(file(name, 'dot'), 'utf8'), { format: 'svg' })
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const name of diagrams) writeFileSync(svgFile(name), await renderDiagram(name))
