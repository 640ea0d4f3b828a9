import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { projectFolder } from '../../lib/project.ts'
import { cdkCommand, contextFlags, type StacksTarget } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import { type FunctionCode, functionsIn } from './code.ts'

export interface Synthesized {
  readonly templates: Templates
  readonly functions: readonly FunctionCode[]
}

/** The CDK's command line is a package of the project. Throws `CommandError` if it is missing. */
function cdkProgram(): string {
  try {
    return createRequire(join(projectFolder, 'package.json')).resolve('aws-cdk/bin/cdk')
  } catch (cause) {
    throw new CommandError(`The package aws-cdk is not installed in ${projectFolder}.`, {
      fix: 'install it: npm install --save-dev aws-cdk (or pnpm add -D, yarn add -D)',
      cause,
    })
  }
}

/** Builds the functions and synthesizes the stacks as a deployment would, without deploying. */
export async function synthesize(
  stackNames: readonly string[],
  { config, name }: StacksTarget,
): Promise<Synthesized> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-cdk-'))
  try {
    // The app runs in the project's folder, not in the working directory.
    const context = contextFlags({ config: config === undefined ? undefined : resolve(config), name })
    const args = ['synth', '--quiet', '--no-validation', '--output', folder]
    await cdk([...args, ...context], cdkCommand({ config, name }, 'synth'))
    const read = async (name: string) =>
      [name, await readFile(join(folder, `${name}.template.json`), 'utf8')] as const
    const templates = await Promise.all(stackNames.map(read))
    const functions = templates.map(([name, text]) => functionsIn(name, text, folder))
    return { templates: Object.fromEntries(templates), functions: (await Promise.all(functions)).flat() }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** `fix`: the command that shows the same failure in full. */
async function cdk(args: readonly string[], fix: string): Promise<void> {
  const program = cdkProgram()
  try {
    await promisify(execFile)(process.execPath, [program, ...args], {
      cwd: projectFolder,
      env: {
        ...process.env,
        // The CDK CLI starts the app with the first Node on the path.
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        CDK_DISABLE_VERSION_CHECK: '1',
      },
    })
  } catch (error) {
    const output = String((error as { stderr?: string }).stderr ?? error).trim()
    throw new CommandError(`Cannot synthesize the CDK app: ${output.split('\n').slice(-3).join(' ')}`, {
      fix,
      cause: error,
    })
  }
}

/** The template that `cdk deploy` uploads, by stack name. */
export type Templates = Readonly<Record<string, string>>

/** Logical ids of what a deployment would change, by stack. Stacks that it would not change are left out. */
export function driftOf(deployed: Templates, synthesized: Templates): Record<string, string[]> {
  const changes = Object.entries(deployed).map(
    ([name, template]) => [name, changedIds(template, synthesized[name] ?? '{}')] as const,
  )
  return Object.fromEntries(changes.filter(([, ids]) => ids.length > 0))
}

/** A function's code appears in its template as a hash. */
function changedIds(deployed: string, synthesized: string): string[] {
  const before = JSON.parse(deployed) as Template
  const after = JSON.parse(synthesized) as Template
  const changed = new Set<string>()
  for (const section of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [before[section], after[section]]
    for (const id of new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])) {
      if (!isDeepStrictEqual(Object(one)[id], Object(other)[id])) changed.add(id)
    }
  }
  return [...changed].toSorted()
}

type Template = Readonly<Record<string, object | undefined>>
