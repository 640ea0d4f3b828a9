import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, promisify } from 'node:util'
import { CommandError } from '../shell/errors.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A stack's template as `cdk deploy` would upload it now, by the stack's name. */
export type Templates = Readonly<Record<string, string>>

/** Builds the functions and synthesises the stacks, as a deployment would, and deploys nothing. */
export async function synthesise(
  stackNames: readonly string[],
  config: string | undefined,
): Promise<Templates> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-cdk-'))
  try {
    const context = config ? ['-c', `config=${resolve(config)}`] : []
    await cdk(['synth', '--quiet', '--output', folder, ...context])
    const read = async (name: string) =>
      [name, await readFile(join(folder, `${name}.template.json`), 'utf8')] as const
    return Object.fromEntries(await Promise.all(stackNames.map(read)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function cdk(words: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [join(root, 'node_modules/aws-cdk/bin/cdk'), ...words], {
      cwd: root,
      env: {
        ...process.env,
        // The app is run by the first Node of the path.
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        CDK_DISABLE_VERSION_CHECK: '1',
      },
    })
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr ?? error).trim()
    throw new CommandError(`The CDK app cannot be synthesised: ${said.split('\n').slice(-3).join(' ')}`, {
      fix: 'npm run synth',
      cause: error,
    })
  }
}

/** Logical ids of what a deployment would change. The code of a function is in its template, as a hash. */
export function changedParts(deployed: string, synthesised: string): string[] {
  const [before, after] = [deployed, synthesised].map((text) => JSON.parse(text) as Template) as [
    Template,
    Template,
  ]
  const changed = new Set<string>()
  for (const section of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[section], after[section]]
    if (isDeepStrictEqual(old, now)) continue
    const parts = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])
    for (const part of parts) {
      if (!isDeepStrictEqual(Object(old)[part], Object(now)[part])) changed.add(part)
    }
  }
  return [...changed].toSorted()
}

type Template = Readonly<Record<string, object | undefined>>
