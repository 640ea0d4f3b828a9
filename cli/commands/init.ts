import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { defaultConfigurationFile, resolveConfig } from '../../lib/config.ts'
import { isInstalled, projectFolder } from '../../lib/project.ts'
import { deployCommand, longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError, UsageError } from '../../operator/errors.ts'
import { writeAtomically } from '../../operator/snapshot/atomic-file.ts'
import { completeAnswers, defaultHeaderPrefix, defaultSchedule } from '../init/answers.ts'
import { configurationText } from '../init/configuration-file.ts'
import { packageManager, writeProjectFiles } from '../init/project-files.ts'
import { defineCommand } from '../shell/command.ts'
import type { Terminal } from '../shell/terminal.ts'

export const initCommand = defineCommand({
  name: 'init',
  summary: 'Write a configuration',
  options: {
    '--base-url <URL>': "The platform's address",
    '--header-prefix <PREFIX>': `Prefix of the platform's headers (default: ${defaultHeaderPrefix})`,
    '--account <NAME>': 'Account name that callers may send as the query parameter `an`',
    '--entities <LIST>': 'Data entities to sync, separated by commas',
    '--schedule <SCHEDULE>': `Schedule of every entity (default: ${defaultSchedule})`,
    '-f, --force': 'Replace an existing file',
  },
  description: [
    'Prompts for what no option gives, and writes longshore.config.ts (longshore.config.mts in a package that is not ' +
      '`"type": "module"`), or the file of --config. Without a terminal, --base-url and --entities are required. In ' +
      'your own repository, also writes cdk.json, and adds scripts and the packages of the CDK to package.json.',
  ],
  examples: {
    init: 'Write a configuration interactively',
    'init --base-url https://shop.example.com --entities CL,AD --force': 'Write a configuration in a script',
  },
  async run({ values, target, terminal }) {
    const file = fileOf(target)
    requireModule(file)
    const shown = relative('', file)
    await requireReplaceable(file, { isForced: values.force, terminal })
    const answers = await completeAnswers(values, terminal)
    const manager = packageManager()
    const name = target.kind === 'stacks' && target.name !== undefined ? { name: target.name } : {}
    const configuration = { ...name, ...answers }
    resolveConfig(configuration)
    await writeAtomically(file, (out) => out.write(configurationText(file, configuration)))
    const others = isInstalled ? await writeProjectFiles(projectFolder, manager) : []
    const next = [
      ...(others.includes('package.json') ? [manager.install] : []),
      ...nextCommands(target.kind === 'stacks' ? target.config : undefined),
    ]
    const text = [
      `Wrote ${[shown, ...others].join(', ')}. Next:`,
      ...next.map((command) => `  ${command}`),
    ].join('\n')
    return { ok: true, text, data: { file, next } }
  },
})

const fileOf = (target: Target) =>
  target.kind === 'stacks' && target.config !== undefined
    ? resolve(target.config)
    : defaultConfigurationFile()

/** Throws `UsageError` for a file that cannot be loaded as a configuration. */
function requireModule(file: string): void {
  if (/\.(json|[cm]?[jt]s)$/.test(file)) return
  throw new UsageError(`--config: ${relative('', file)} must end with .ts, .mts, .js, .mjs or .json.`)
}

/** An existing file is replaced with --force, or if the person agrees. */
async function requireReplaceable(
  file: string,
  { isForced, terminal }: { isForced: boolean; terminal: Terminal },
): Promise<void> {
  if (isForced || !existsSync(file)) return
  const shown = relative('', file)
  if (terminal.isInteractive && (await terminal.confirm(`${shown} exists. Replace it?`))) return
  throw new CommandError(`${shown} exists and was not changed.`, {
    fix: 'replace it (--force), or write to another file (--config PATH)',
  })
}

/** From a trial on this machine to a checked deployment. */
function nextCommands(config: string | undefined): string[] {
  const target = { kind: 'stacks', config, name: undefined } as const
  return [
    ['npm start', ...(config ? [`-- --config ${config}`] : [])].join(' '),
    ['npx cdk bootstrap', ...(config ? [`-c config=${config}`] : [])].join(' '),
    deployCommand(target),
    longshoreCommand(target, 'credentials set'),
    longshoreCommand(target, 'doctor'),
  ]
}
