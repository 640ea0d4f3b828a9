import { readFileSync, writeFileSync } from 'node:fs'
import { instance } from '@viz-js/viz'

/** `npm run diagram` draws docs/architecture.svg from docs/architecture.dot (Graphviz). */
const source = new URL('../docs/architecture.dot', import.meta.url)

export const drawnFile = new URL('../docs/architecture.svg', import.meta.url)

export const drawn = async () =>
  (await instance()).renderString(readFileSync(source, 'utf8'), { format: 'svg' })

if (import.meta.main) writeFileSync(drawnFile, await drawn())
