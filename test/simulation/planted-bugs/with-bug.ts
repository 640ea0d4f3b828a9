import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build as bundle } from 'esbuild'
import type { simulate } from '../simulate.ts'
import type { PlantedBug } from './planted-bug.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Where bundled modules find the packages that they import. */
const folder = `${root}node_modules/.cache/longshore/planted-bugs`

/** The source with the bug. Throws if the text that it replaces does not occur exactly once. */
export function sourceWith({ file, find, replace }: Omit<PlantedBug, 'breaks' | 'seed'>): string {
  const [before, after, ...more] = readFileSync(`${root}${file}`, 'utf8').split(find)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${file} must contain this exactly once, to plant a bug into it: ${find}`)
  return `${before}${replace}${after}`
}

/** The simulation of the code with a planted bug. */
export const simulationWith = (bug: PlantedBug): Promise<typeof simulate> =>
  simulationOf(bug.file, sourceWith(bug))

/** The simulation of the code with another text of a file. Nothing but a bundle in the cache is written. */
export async function simulationOf(file: string, contents: string): Promise<typeof simulate> {
  const { outputFiles } = await bundle({
    entryPoints: [`${root}test/simulation/simulate.ts`],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    plugins: [
      {
        name: 'planted-bug',
        setup: (build) =>
          build.onLoad({ filter: /\.ts$/ }, (loaded) =>
            loaded.path === `${root}${file}` ? { contents, loader: 'ts' } : undefined,
          ),
      },
    ],
  })
  mkdirSync(folder, { recursive: true })
  const path = `${folder}/${randomUUID()}.js`
  writeFileSync(path, outputFiles[0]?.contents ?? '')
  try {
    const module = (await import(pathToFileURL(path).href)) as { simulate: typeof simulate }
    return module.simulate
  } finally {
    rmSync(path)
  }
}
