import { bold, dim, green, red, yellow } from '../operator/text/colors.ts'
import type { Bundle } from './bundle.ts'

/** Prints to the terminal. The console is the functions' log. */
export function print(text = ''): void {
  process.stdout.write(`${text}\n`)
}

const maxLineLength = 120

export const output = {
  started({ apiUrl, logFile, settings }: Bundle, platform: string) {
    print(`\n${bold('Longshore on this machine')}\n`)
    const alerts = settings.alerts.map(({ type }) => type).join(', ')
    const values = { platform, API: apiUrl, log: logFile, ...(alerts !== '' && { alerts }) }
    for (const [name, value] of Object.entries(values)) {
      print(`  ${dim(name.padEnd(9))} ${value}`)
    }
    print(`\n  ${dim('Press Ctrl-C to stop.')}`)
  },

  /** A request that is being sent. */
  request(line: string) {
    print(`\n${bold(line)}`)
  },

  /** A response in one line, shortened. */
  respond(status: number, body: string) {
    print(`  ${status} ${dim(shortenedLine(body))}`)
  },

  done(text: string) {
    print(`  ${green('✓')} ${text}`)
  },

  noted(text: string) {
    print(`  ${yellow('-')} ${text}`)
  },

  failed(text: string) {
    print(`  ${red('✗')} ${text}`)
  },

  /** A paragraph that explains what to look for. */
  explained(name: string, text: string) {
    print(`\n  ${bold(name)}`)
    for (const line of wrap(text)) print(`  ${line}`)
  },

  /** A named value, such as a location or a file's content. */
  found(name: string, value: string) {
    print(`\n  ${name}`)
    for (const line of value.split('\n')) print(`  ${dim(line)}`)
  },

  serving({ apiUrl, consoleUrl, settings }: Bundle, commandLine: string) {
    print(`\n  ${dim('console  ')} ${bold(consoleUrl)}`)
    print(`  ${dim('reference')} ${apiUrl}/reference`)
    print(`\n${bold('Serving until Ctrl-C.')} For example:`)
    const entity = settings.entities[0]?.name
    print(dim(`  curl ${apiUrl}/syncs`))
    if (entity) print(dim(`  curl ${apiUrl}/api/dataentities/${entity}/search`))
    if (entity) print(dim(`  curl -X POST ${apiUrl}/syncs/${entity}`))
    print(dim(`  ${commandLine} status`))
  },
}

/** A line cut to the terminal width. */
export function shortenedLine(line: string): string {
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line
}

const lineWidth = 80

/** Breaks a paragraph into lines of at most 80 characters. */
function wrap(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length >= lineWidth) lines.push(word)
    else lines[lines.length - 1] = line ? `${line} ${word}` : word
  }
  return lines
}
