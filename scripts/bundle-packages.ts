import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { bundleOptions, requireBanner } from './bundle-options.ts'
import { thirdPartyNotices } from './third-party-notices.ts'

/** What a user's project has: Node, the peers, and valibot, which the types of the construct need. */
const provided = /^(?:node:|\.|(?:aws-cdk-lib|constructs|valibot)(?:\/|$))/

/** An import in a compiled module: the names that it takes, and where from. */
const imports = /^((?:import|export) [^'"]*)from '([^']+)'/gm

/** Bundles the packages of compiled modules into `packages/`, so that the package is installed with few others. */
export async function bundlePackages(root: string, compiled: string): Promise<void> {
  const files = globSync('{bin,cli,console,functions,lib,local,operator,stored}/**/*.js', { cwd: compiled })
  const modules = files.map((file) => ({ file, text: readFileSync(join(compiled, file), 'utf8') }))
  const found = modules
    .flatMap(({ text }) => [...text.matchAll(imports)])
    .flatMap(([, names = '', from = '']) => (provided.test(from) ? [] : [{ names, from }]))
  const outdir = join(compiled, 'packages')
  const entries = Map.groupBy(found, ({ from }) => from)
  const { metafile } = await build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: [...entries.keys()].map((from) => ({ in: `entry:${from}`, out: fileNameOf(from) })),
    outdir,
    outExtension: {},
    target: 'node22',
    metafile: true,
    banner: { js: requireBanner },
    plugins: [entryPlugin(root, entries)],
  })
  const { path, contents } = thirdPartyNotices(metafile, root, outdir)
  writeFileSync(path, contents)
  for (const { file, text } of modules) {
    const changed = text.replaceAll(imports, (whole, names: string, from: string) =>
      provided.test(from)
        ? whole
        : `${names}from '${relative(dirname(file), join('packages', fileNameOf(from)))}.js'`,
    )
    if (changed !== text) writeFileSync(join(compiled, file), changed)
  }
}

const fileNameOf = (from: string) => from.replaceAll('/', '-').replace('@', '')

type Entries = ReadonlyMap<string, readonly { readonly names: string }[]>

/** What modules import from a package. Names of a CommonJS package can only be exported one by one. */
function exportsOf(from: string, uses: readonly { readonly names: string }[]): string {
  const lists = uses.map(({ names }) => names)
  const named = lists.flatMap((names) => /\{([^}]*)\}/.exec(names)?.slice(1).join('').split(',') ?? [])
  const names = named.map((name) => name.trim().split(' as ')[0] ?? '').filter(Boolean)
  if (lists.some((list) => /^import \w/.test(list))) names.push('default')
  return lists.some((list) => list.includes('*'))
    ? `export * from '${from}'`
    : `export { ${[...new Set(names)].join(', ')} } from '${from}'`
}

/** Each entry exports what modules import. */
function entryPlugin(root: string, entries: Entries): Plugin {
  return {
    name: 'entries',
    setup(bundle) {
      bundle.onResolve({ filter: /^entry:/ }, ({ path }) => ({
        path: path.slice('entry:'.length),
        namespace: 'entry',
      }))
      bundle.onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => {
        return { contents: exportsOf(path, entries.get(path) ?? []), resolveDir: root }
      })
      // esbuild finds the modules of a computed name only by their file names.
      bundle.onLoad({ filter: /\/dynalite\/index\.js$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replaceAll(/(require\('.\/\w+\/' \+ action)\)/g, "$1 + '.js')"),
      }))
      // What is not a package stays one module, also for `instanceof`.
      bundle.onResolve({ filter: /^\.\.\/lines-file\.ts$/ }, () => ({
        path: '../local/lines-file.js',
        external: true,
      }))
    },
  }
}
