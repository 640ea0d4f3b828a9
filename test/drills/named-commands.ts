import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { commands } from '../../cli/commands/index.ts'
import { parse } from '../../cli/shell/parser.ts'

/** A command that a text of the code names, without the values of its arguments: `sync ENTITY --watch`. */
export interface NamedCommand {
  readonly file: string
  readonly form: string
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const runId = '20260301T060000000Z-0123456789ab'

/** Flags that do not make it a different command: those that skip prompts, and those that are on by default. */
const withoutMeaning = ['yes', 'sync']

/** A command line as the command table has it. Fails if the command line does not have it. */
export function formOf(args: string): string {
  const parsed = parse(commands, args.split(' '), {})
  if (parsed.kind !== 'run') throw new Error(`'${args}' is no command.`)
  const { command, entity, id, values } = parsed
  const isRun = /^\d{8}T\d{9}Z-/.test(entity)
  const flags = Object.entries(values)
    .filter(
      ([flag, value]) => (value === true && !withoutMeaning.includes(flag)) || (flag === 'area' && value),
    )
    .map(([flag]) => `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
  return [command.name, entity && (isRun ? 'RUN' : 'ENTITY'), id && 'ID', ...flags.toSorted()]
    .filter(Boolean)
    .join(' ')
}

/** Placeholders in a template for the id of a run, the name of an entity or the id of a document. */
const filled = (template: string) =>
  template
    .replaceAll(/\$\{[^}]*'(?<flag> --[a-z]+)'[^}]*\}/g, '$<flag>')
    .replaceAll(/\$\{[^}]*(?:[rR]unId|tip)[^}]*\}|\bRUN\b/g, runId)
    .replaceAll(/(?<=--area )\$\{[^}]*\}/g, 'documents')
    .replaceAll(/\$\{[^}]*\}/g, 'CL')
    .replace(/\$\{.*/, '')

const names = commands.map(({ name }) => name).join('|')
const args = `(?:${names})(?: (?:\\$\\{|--)[^\`'\\n]*)?`
/**
 * A command with arguments, or one without arguments that is passed to the function that completes the command line. A
 * table row ends with a colon.
 */
const literals = new RegExp(
  `(longshoreCommand\\(\\s*(?:\\w+\\.)?target,\\s*|\\b(?:longshore|command)\\(\\s*|command: )?(?:'(${args})'|\`(${args}(?:'[^\`\\n]*)?)\`)(?!:)`,
  'g',
)

/** Every command that errors, findings and results name, by the file that names it. */
export function commandsInTexts(): NamedCommand[] {
  const files = globSync('{functions/problems,operator,cli,console/server,console/client/model}/**/*.ts', {
    cwd: root,
    exclude: ['cli/shell/**', 'operator/access/**'],
  })
  const found = files.flatMap((file) =>
    [...readFileSync(`${root}/${file}`, 'utf8').matchAll(literals)].flatMap(([, call, quoted, template]) => {
      const line = quoted ?? template ?? ''
      return call === undefined && !line.includes(' ') ? [] : [`${file}|${formOf(filled(line))}`]
    }),
  )
  return [...new Set(found)].toSorted().map((line) => {
    const [file = '', form = ''] = line.split('|')
    return { file, form }
  })
}
