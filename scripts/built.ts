import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import '../operator/interrupts.ts'
import { buildAll } from './build.ts'

/**
 * `node scripts/built.ts PROGRAM [ARGS]` builds, then runs the program in this process. Of two commands that a shell
 * runs one after the other, the second one would survive the shell.
 */
const [program = '', ...args] = process.argv.slice(2)
if (await buildAll()) {
  const file = resolve(program)
  process.argv = [process.execPath, file, ...args]
  await import(pathToFileURL(file).href)
} else {
  process.exitCode = 1
}
