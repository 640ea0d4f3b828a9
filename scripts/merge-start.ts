import { basename } from 'node:path'
import { type BuildResult, build, type OutputFile, type Plugin } from 'esbuild'
import { bundleOptions, outputOptions } from './bundle-options.ts'

type Bundle = BuildResult<{ write: false; metafile: true }>

const entry = 'handler.mjs'

/**
 * Merges all that a function's entry imports statically into the entry, so that its start reads one file in place of
 * ten: 2 to 10% less time (docs/performance.md). esbuild leaves apart what lazy chunks share with the entry. Here they
 * import that from the entry, so that everything is there once.
 */
export async function mergeStart({ outputFiles, metafile }: Bundle, folder: string): Promise<OutputFile[]> {
  const chunks = new Map(Object.entries(metafile.outputs).map(([path, chunk]) => [basename(path), chunk]))
  const reachable = (kinds: readonly string[]) => {
    const found = new Set([entry])
    for (const name of found) {
      for (const { path, kind, external } of chunks.get(name)?.imports ?? [])
        if (kinds.includes(kind) && !external) found.add(basename(path))
    }
    return found
  }
  const merged = reachable(['import-statement'])
  // Not each chunk: esbuild also writes what only code imports that it then left out.
  const lazy = [...reachable(['import-statement', 'dynamic-import'])].filter((name) => !merged.has(name))

  const exportsOf = (name: string) => chunks.get(name)?.exports ?? []
  const places = [...merged]
  const nameInEntry = (name: string, exported: string) => `_${places.indexOf(name)}_${exported}`
  const start = places.flatMap((name) =>
    exportsOf(name).map((one) =>
      name === entry
        ? `export { ${one} } from './${name}'`
        : `export { ${one} as ${nameInEntry(name, one)} } from './${name}'`,
    ),
  )
  // A statement for each, so that those that nobody needs can be left out.
  const handedOff = (name: string) =>
    exportsOf(name).map((one) => `export { ${nameInEntry(name, one)} as ${one} } from './${entry}'`)

  const { outputFiles: result } = await build({
    ...bundleOptions,
    ...outputOptions,
    splitting: false,
    entryPoints: ['start', ...lazy].map((name) => ({
      in: name,
      out: name === 'start' ? 'handler' : name.replace(/\.mjs$/, ''),
    })),
    outdir: folder,
    // Of an import for its effects alone: the entry has had them.
    logOverride: { 'ignored-bare-import': 'silent' },
    plugins: [fromMemory({ outputFiles, start, merged, handedOff })],
  })
  return result
}

/** Gives esbuild its own output to read, with its source maps. */
function fromMemory(from: {
  readonly outputFiles: readonly OutputFile[]
  readonly start: readonly string[]
  readonly merged: ReadonlySet<string>
  /** What takes a merged chunk's place where a lazy one imports it. */
  readonly handedOff: (name: string) => readonly string[]
}): Plugin {
  const texts = new Map(from.outputFiles.map(({ path, text }) => [basename(path), text]))
  return {
    name: 'from-memory',
    setup(esbuild) {
      esbuild.onResolve({ filter: /\.mjs$|^start$/ }, ({ path, kind, importer, namespace }) => {
        const name = basename(path)
        if (kind === 'entry-point') return { path: name, namespace: 'output' }
        const inStart = importer === 'start' || from.merged.has(importer)
        if (kind === 'dynamic-import' || namespace === 'handed-on' || !(inStart || from.merged.has(name)))
          return { path, external: true, sideEffects: namespace !== 'handed-on' }
        return inStart
          ? { path: name, namespace: 'output' }
          : { path: name, namespace: 'handed-on', sideEffects: false }
      })
      esbuild.onLoad({ filter: /.*/, namespace: 'handed-on' }, ({ path }) => ({
        contents: from.handedOff(path).join('\n'),
      }))
      esbuild.onLoad({ filter: /.*/, namespace: 'output' }, ({ path }) => {
        const map = Buffer.from(texts.get(`${path}.map`) ?? '').toString('base64')
        const text = `${texts.get(path)}\n//# sourceMappingURL=data:application/json;base64,${map}`
        return { contents: path === 'start' ? from.start.join('\n') : text }
      })
    },
  }
}
