import { bold, dim, green, red } from '../cli/shell/terminal.ts'
import type { Bundle } from './bundle.ts'

/** The functions own the console; what people are to read goes here. */
export function print(text = ''): void {
  process.stdout.write(`${text}\n`)
}

const widestLine = 120

export const say = {
  started({ apiUrl, bucketUrl, logFile }: Bundle, platform: string) {
    print(`\n${bold('Longshore on this machine')}\n`)
    for (const [name, value] of Object.entries({
      platform,
      API: apiUrl,
      bucket: bucketUrl,
      log: logFile,
    })) {
      print(`  ${dim(name.padEnd(9))} ${value}`)
    }
  },

  /** What is sent now. */
  request(line: string) {
    print(`\n${bold(line)}`)
  },

  /** What came back: one line, as far as it fits. */
  answer(status: number, body: string) {
    print(`  ${status} ${dim(shortened(body))}`)
  },

  done(text: string) {
    print(`  ${green('✓')} ${text}`)
  },

  failed(text: string) {
    print(`  ${red('✗')} ${text}`)
  },

  /** Where something lies, or what it holds. */
  found(name: string, value: string) {
    print(`\n  ${name}`)
    for (const line of value.split('\n')) print(`  ${dim(line)}`)
  },

  serving({ apiUrl, settings }: Bundle) {
    print(`\n${bold('Serving until Ctrl-C.')} Read and try every route in a browser: ${bold(`${apiUrl}/`)}`)
    print('Or for example:')
    const entity = settings.entities[0]?.name
    print(dim(`  curl ${apiUrl}/syncs`))
    if (entity) print(dim(`  curl ${apiUrl}/api/dataentities/${entity}/search`))
    if (entity) print(dim(`  curl -X POST ${apiUrl}/syncs/${entity}`))
  },
}

/** A line as far as it fits. */
export function shortened(line: string): string {
  return line.length > widestLine ? `${line.slice(0, widestLine)}…` : line
}
