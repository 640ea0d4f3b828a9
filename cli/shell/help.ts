import { commonOptions } from './arguments.ts'
import type { Command, OptionRow, OptionRows } from './command.ts'
import { exitCodes } from './exit-codes.ts'

/** The text of `longshore --help`. */
export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => usage(command).length))
  return [
    'Usage: longshore COMMAND [options]',
    '',
    ...commands.map((command) => `  ${usage(command).padEnd(width)}  ${command.summary}`),
    '',
    'Every command:',
    ...optionLines(commonOptions),
    '',
    'Account and region are those of the AWS environment (AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL).',
    ...Object.values(exitCodes).map(
      ({ code, meaning }, index) =>
        `${index === 0 ? 'Exit code' : '         '} ${String(code).padStart(3)}  ${meaning}`,
    ),
  ].join('\n')
}

/** The text of `longshore COMMAND --help`. */
export function help(command: Command): string {
  return [
    `Usage: longshore ${usage(command)} [options]`,
    '',
    `${command.summary}.`,
    '',
    ...optionLines({ ...command.options, ...commonOptions }),
    ...command.notes.flatMap((note) => ['', wrapped(note)]),
  ].join('\n')
}

/** docs/cli.md. */
export function reference(commands: readonly Command[]): string {
  return [
    '# The command line',
    '',
    'Made from the command table by `npm run cli-reference`; a test holds it against the table.',
    '',
    '`npx longshore COMMAND` in the checkout, or `npm run longshore -- COMMAND`. It finds the deployment by the outputs of its stacks, in the account and region of the AWS environment (`AWS_PROFILE`, `AWS_REGION`, `AWS_ENDPOINT_URL`), and uses the rights of whoever calls it. Results go to standard output, everything else to standard error; without a terminal nothing is asked and progress is a plain line for each tenth.',
    '',
    '| command | what |',
    '|---|---|',
    ...commands.map(
      (command) => `| [\`${usage(command)}\`](#${command.name.replaceAll(' ', '-')}) | ${command.summary} |`,
    ),
    '',
    '| exit code | meaning |',
    '|---|---|',
    ...Object.values(exitCodes).map(({ code, meaning }) => `| ${code} | ${meaning} |`),
    '',
    '| every command | |',
    '|---|---|',
    ...optionRows(commonOptions),
    ...commands.flatMap(referenceOf),
    '',
  ].join('\n')
}

function referenceOf(command: Command): string[] {
  const rows = optionRows(command.options)
  return [
    '',
    `## ${command.name}`,
    '',
    `    longshore ${usage(command)}`,
    '',
    `${command.summary}.`,
    ...(rows.length > 0 ? ['', '| option | |', '|---|---|', ...rows] : []),
    ...command.notes.flatMap((note) => ['', note]),
  ]
}

function usage({ name, takesEntity }: Command): string {
  return takesEntity ? `${name} ENTITY` : name
}

function optionRows(rows: OptionRows): string[] {
  return Object.entries(rows).map(([name, row]) => `| \`${optionName(name, row)}\` | ${described(row)} |`)
}

function optionLines(rows: OptionRows): string[] {
  const names = Object.entries(rows).map(([name, row]) => optionName(name, row))
  const width = Math.max(...names.map(({ length }) => length))
  return Object.values(rows).map((row, index) => `  ${(names[index] ?? '').padEnd(width)}  ${described(row)}`)
}

function optionName(name: string, { short, value }: OptionRow): string {
  return `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`
}

function described({ summary, choices }: OptionRow): string {
  return choices ? `${summary}: ${choices.join(', ')}` : summary
}

const lineWidth = 100

function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length >= lineWidth) lines.push(word)
    else lines[lines.length - 1] = line ? `${line} ${word}` : word
  }
  return lines.join('\n')
}
